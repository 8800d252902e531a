-- A Paperdesk library, written by `paperdesk export-sql`.
CREATE TABLE papers (
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  authors TEXT NOT NULL,
  year INTEGER NOT NULL,
  topic TEXT NOT NULL,
  body TEXT NOT NULL,
  source_path TEXT NOT NULL DEFAULT ''
);

-- What search sees: the body here is without private notes, so that no snippet can show one.
CREATE VIRTUAL TABLE papers_fts USING fts5(id UNINDEXED, title, topic, body, tokenize = 'porter unicode61');

CREATE TABLE preferences (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  created_at TEXT NOT NULL
);

CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES sessions (id),
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
  content TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'complete' CHECK (status IN ('complete', 'failed')),
  created_at TEXT NOT NULL
);

CREATE INDEX messages_by_session ON messages (session_id, id);

-- What libraries have gained since their first version. Each statement may be run again.

-- What the preference agent has made of the user's messages; the current one stands among the preferences.
CREATE TABLE IF NOT EXISTS preference_summaries (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  summary TEXT NOT NULL,
  fold TEXT NOT NULL UNIQUE,
  last_message_id INTEGER NOT NULL,
  created_at TEXT NOT NULL
);

-- What ingestion has made of a paper; `origin` says whether the model's answer could be used.
CREATE TABLE IF NOT EXISTS summaries (
  paper_id TEXT PRIMARY KEY REFERENCES papers (id) ON DELETE CASCADE,
  summary TEXT NOT NULL CHECK (summary <> ''),
  key_findings TEXT NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('model', 'fallback')),
  created_at TEXT NOT NULL
);

-- Vectors that an embedding model was asked for, by what it was and what it read.
CREATE TABLE IF NOT EXISTS embeddings (
  model TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  vector TEXT NOT NULL,
  PRIMARY KEY (model, sha256)
);
INSERT INTO papers (id, title, authors, year, topic, body, source_path) VALUES ('p-bees-03', 'An Acoustic Census of Ground-Nesting Bees', 'Meadow Listening Group', 2022, 'pollinator monitoring', '## Question

Ground-nesting bees are hard to count without digging. We test whether the sound of their entrances, heard through the soil, gives a census that harms nothing.

## Method

Contact microphones on steel pins were pushed 6 centimetres into a meadow, 1.5 metres apart, at 40 sites. A classifier called Humline looked for bursts between 210 and 290 hertz that last at least a quarter of a second. To check it, a team opened 60 plots after the season and counted brood cells by hand.

## Findings

Humline found 87 percent of the nests and reported a nest that was not there in 5 percent of the plots. Counts were best from 10:15 to 11:45, when foragers return; after rain of more than 4 millimetres they should wait for two days. One observer can survey 1.2 hectares a day this way, against 0.3 hectares with emergence traps. Traffic was the main disturbance: within 70 metres of a road, half of the bursts were lost. The mean density was 23 nests per 100 square metres on sandy soil and 4 on loam.

## Limits

Two species with similar wing beats, which nest together, could not be told apart. The batteries lasted nine days, so that long rainy spells ended three of the recordings early.', '/Users/reader/Papers/ecology/bee-census.pdf');
INSERT INTO papers (id, title, authors, year, topic, body, source_path) VALUES ('p-crane-10', 'Rhythm Training for Tower Crane Operators', 'Human Timing Laboratory', 2015, 'workplace training', '## Question

A swinging load is calmed by braking at the right moment. Do operators learn that moment faster when they drum it first?

## Method

Fifty-two trainees were divided by lot. Half of them drummed along with a recorded pendulum for 15 minutes before each of ten lessons, a routine called Bob and Tap. The other half watched a film of the same length. All then moved a load of 800 kilograms to a target on a training crane.

## Findings

The drummers brought the load to rest in 21 seconds, the film group in 34. They touched the target frame in 3 percent of the moves, against 8 percent. The gain was still there after 11 weeks without practice. Trainees with a musical background gained no more than others. The best tempo for drumming was 52 beats per minute, close to the swing of a load on a cable of 13 metres. Past the sixth lesson more drumming added nothing.

## Limits

A training crane has no wind. We stopped the trial early for four trainees with wrist pain, and the instructors knew who had drummed.', '/Users/reader/Papers/people/rhythm-cranes.pdf');
INSERT INTO papers (id, title, authors, year, topic, body, source_path) VALUES ('p-ferry-04', 'Silent Docking of Electric Harbour Ferries', 'Quayside Acoustics Unit', 2020, 'underwater noise', '## Question

Electric ferries are quiet under way, yet loud when they dock, because the thrusters reverse at full power. How much of this noise can a better approach avoid, without delay for passengers?

## Method

Two sister ferries made 318 dockings at a pier with three hydrophones. Half followed the usual approach. The other half followed the Glide Ladder, a rule that cuts power in four steps, starting 240 metres before the pier, and forbids reverse thrust above 0.9 metres per second.

## Findings

The Glide Ladder lowered the peak noise by 11 decibels and made the average docking 17 seconds longer. Harbour porpoises were heard within 500 metres of the pier on 46 days with the new approach and on 21 days before. Energy use fell by 6.5 percent per trip, since no power went into stopping the ship. In winds over 13 metres per second captains abandoned the ladder in 4 dockings out of 10. Training took each captain two shifts.

## Limits

Both ferries have pods at each end; ships with a single rudder may not hold their course at such low power. Hydrophone two failed in March, so the spring data rest on two instruments.', '/Users/reader/Papers/harbour/silent-docking.pdf');
INSERT INTO papers (id, title, authors, year, topic, body, source_path) VALUES ('p-glaze-05', 'A Self-Healing Glaze for Roof Tiles', 'Kiln Chemistry Collective', 2018, 'building materials', '## Question

Frost opens fine cracks in glazed roof tiles, and water does the rest. We look for a glaze that closes its own cracks on the roof, with no more heat than the summer sun.

## Method

A borate glaze was filled with hollow beads of zinc soap, 30 micrometres wide, at 12 percent by weight. We call the mixture Mendel-Z. Tiles were fired at 1,040 degrees Celsius, cracked by 150 cycles of frost, and laid on a test roof that faced south.

## Findings

Cracks up to 55 micrometres wide closed within 16 days once the tile''s surface had reached 48 degrees Celsius on at least three of them. Wider cracks never closed. After healing, the tiles took up 1.8 percent of their weight in water; unhealed ones took up 7.4 percent. The beads work only once in the same place, so a tile can heal each spot a single time. The glaze added 0.22 euros to the price of a tile. Colour drifted slightly towards grey, by a value that 3 in 20 viewers noticed.

## Limits

The test roof stood for two winters. Nobody knows yet how the beads age in twenty years, and lead-free firing above 1,100 degrees destroys them.', '/Users/reader/Papers/materials/healing-glaze.pdf');
INSERT INTO papers (id, title, authors, year, topic, body, source_path) VALUES ('p-ink-08', 'Reading Faded Iron-Gall Ink with Raking Light', 'Archive Imaging Bureau', 2016, 'document restoration', '## Question

Iron-gall ink fades, but its acid leaves a groove in the paper. Can light that falls almost flat on the page bring the writing back, without touching it?

## Method

We photographed 96 letters from a harbour office, written between 1741 and 1803. A lamp circled the page at an angle of 9 degrees and took 36 pictures. Software called Furrow joined them into a map of depth. Five readers then transcribed the letters with and without the map.

## Findings

With the depth map the readers deciphered 81 percent of the words; with the plain photograph they managed 34 percent. The gain was largest on rag paper thicker than 0.16 millimetres. Letters that had been pressed flat with a hot iron gave nothing, because the grooves were gone. The best colour was red, at 660 nanometres, since brown stains vanish in it. A page takes 7 minutes, and the lamp warms the paper by less than half a degree.

<private>Reader''s note: the bureau asked us to keep the shelf mark HB-2231 to ourselves until the sale in June. The scan is at /Users/reader/Papers/archive/iron-gall-raking-light.pdf.</private>

## Limits

All letters came from one office. Parchment was not tested, and pencil leaves grooves that the software confuses with ink.', '/Users/reader/Papers/archive/iron-gall-raking-light.pdf');
INSERT INTO papers (id, title, authors, year, topic, body, source_path) VALUES ('p-kelp-06', 'Kelp Ropes That Record Their Own Growth', 'Cold Coast Aquaculture Station', 2023, 'aquaculture sensing', '## Question

Kelp farmers pull up ropes to see how the crop grows, and lose part of it each time. We wove a sensor into the rope, so that the rope itself reports its weight.

## Method

A fibre of stretchable graphite rubber runs along the core of each rope. Its resistance rises with the load. Forty ropes, 25 metres long, hung at a depth of 3 metres from October to May. Every second week divers weighed a sample by hand. The reading is called the drag index.

## Findings

The drag index followed the weighed crop with an error of 0.9 kilograms per metre. Growth was fastest in the 23 days after the water had warmed past 6.5 degrees Celsius. Farmers who harvested at a drag index of 74 gained 18 percent more biomass than those who harvested by the calendar. Storm loads could be told from growth because they fade within 5 hours. Snails settled on 7 ropes and raised the index although no kelp had grown.

## Limits

The graphite fibre lost a tenth of its sensitivity in a season and must be recalibrated each autumn. A rope with the sensor costs 4.10 euros a metre, three times the price of a plain one.', '/Users/reader/Papers/sea/kelp-ropes.pdf');
INSERT INTO papers (id, title, authors, year, topic, body, source_path) VALUES ('p-moss-02', 'Moss Walls as Night Coolers for Bus Shelters', 'Street Climate Workshop', 2021, 'urban cooling', '## Question

Bus shelters store the heat of the day and give it back in the evening, when people wait in them. Can a wall of moss, wetted once a day, cool a shelter through the night?

## Method

We fitted 28 shelters with panels of Ceratodon moss and left 28 others bare. A tank of 45 litres wetted each wall at 19:00. Black-globe thermometers stood at the height of a seated person, and the trial lasted from 3 May to 30 September.

## Findings

Between 20:00 and 23:00 the moss shelters were 3.6 degrees Celsius cooler than the bare ones. The effect vanished when the relative humidity rose above 78 percent, which we propose as the cut-off for watering. Each wall used 31 litres of water a night, less than half of what a mist nozzle needs. Panels facing north survived; of the panels facing south, 9 of 14 had turned brown by August. Maintenance took 12 minutes per shelter and week. Passengers who were asked rated the moss shelters 4.3 out of 5 for comfort and the bare ones 3.1.

## Limits

The summer was dry. We did not measure insects, and the cost of 640 euros per shelter leaves out the work of the city''s own staff.', '/Users/reader/Papers/city/moss-shelters.pdf');
INSERT INTO papers (id, title, authors, year, topic, body, source_path) VALUES ('p-moth-12', 'Amber Street Lamps and the Detours of Moths', 'Night Ecology Circle', 2020, 'light pollution', '## Question

Street lamps pull moths off their way. Amber lamps are said to do so less. We measured the detour itself, rather than counting the moths that end up in a trap.

## Method

A radar of 94 gigahertz followed single moths along a lane with 22 lamps that could be switched between white and amber. We recorded 1,907 flights in 48 nights and compared each with a straight line. The measure is called the Wander Ratio.

## Findings

Under white lamps the Wander Ratio was 2.9, under amber lamps 1.4, and in the dark 1.2. Lamps hung 4 metres high drew moths from 27 metres away, and lamps of 8 metres from 41. Dimming amber lamps below 35 percent after midnight removed the last difference from the dark. Hawk moths were not affected by any of the colours. Walkers found the amber lane as safe as the white one, but 1 in 6 said that they could not tell a red car from a brown one.

## Limits

Moths lighter than 40 milligrams are invisible to the radar. The lane had hedges on both sides, which lead moths along, and open fields may give larger detours.', '/Users/reader/Papers/night/amber-moths.pdf');
INSERT INTO papers (id, title, authors, year, topic, body, source_path) VALUES ('p-peat-11', 'Early Warning of Peat Fires from Buried Probes', 'Bogland Fire Watch', 2021, 'wildfire detection', '## Question

A peat fire creeps below the ground for days before smoke is seen. Can cheap probes in the peat raise the alarm sooner than a satellite?

## Method

We buried 220 probes at 35 centimetres in a drained bog. Each measures carbon monoxide and moisture, and sends a message of 12 bytes by radio every 20 minutes. The alarm rule, Ember Vote, rings when three neighbours within 50 metres exceed 30 parts per million of carbon monoxide. Crews lit 16 controlled fires.

## Findings

Ember Vote found 15 of the 16 fires, on average 44 hours before the satellite did. It gave 2 false alarms in 14 months, both beside a tractor. Peat below 110 percent moisture by dry weight always carried the fire; above 160 percent it never did. A probe costs 27 euros and its battery lasts 31 months. Wild boar dug out 13 probes, most of them in the first autumn.

<private>Reader''s note: grant draft BW-77 is not public; do not forward. Copy kept in /Users/reader/Papers/fire/peat-probes.pdf.</private>

## Limits

The fires were small and lit on dry days. Radio did not reach across a ridge of 20 metres, and deep peat below the probes was left unwatched.', '/Users/reader/Papers/fire/peat-probes.pdf');
INSERT INTO papers (id, title, authors, year, topic, body, source_path) VALUES ('p-rice-09', 'Floating Clover in Alternately Flooded Rice', 'Paddy Methane Network', 2024, 'crop emissions', '## Question

Rice fields that are drained now and then give off less methane, yet they need more weeding. We ask whether a mat of floating clover can take over the weeding and keep the methane low.

## Method

Eighteen fields on four farms were flooded and drained in turns of 8 days. In nine of them water clover was sown at 14 kilograms per hectare, three weeks after the rice was planted. Gas was sampled at dawn with the chamber that we named the Lantern.

## Findings

Fields with clover gave off 41 percent less methane than fields that were always flooded, and 9 percent less than fields that were only drained. Hand weeding fell from 62 to 25 hours per hectare. The yield was 6.1 tonnes per hectare, the same as without clover. The mat must cover 70 percent of the water before day 40; if it is later, weeds win. Nitrous oxide rose slightly, by 0.3 kilograms per hectare, which takes back a tenth of the gain.

## Limits

Ducks ate the clover on one farm. The winter frost that kills the mat came late, and none of the farms uses herbicide, so we cannot say how the two would mix.', '/Users/reader/Papers/farm/floating-clover.pdf');
INSERT INTO papers (id, title, authors, year, topic, body, source_path) VALUES ('p-snow-07', 'Snow Fence Geometry on Mountain Roads', 'Alpine Roads Institute', 2017, 'winter road safety', '## Question

Snow fences keep drifts off the road, but most are copied from flat land. Which height, gap and distance work on a slope, where the wind turns upward?

## Method

Models at a scale of 1 to 20 stood in a wind tunnel with crushed walnut shell as snow. Then 14 real fences were built on a pass at 2,140 metres, and a laser scanner measured the drifts every six hours for two winters. The best design is named the Lee Comb.

## Findings

The Lee Comb stands 2.7 metres high, leaves 55 percent of its face open and keeps a bottom gap of 30 centimetres. On slopes steeper than 12 degrees it belongs 38 metres uphill from the road, not the usual 25 times its height. It held 71 cubic metres of snow per metre of fence before it was full. Closures of the pass fell from 26 to 9 days a winter. Below a wind of 7 metres per second all designs worked alike. Wooden slats lasted as well as steel and weighed 40 percent less.

## Limits

The winters were of average snow. Wet snow, which sticks to the slats, closed the openings on 5 occasions and turned the fence into a wall.', '/Users/reader/Papers/roads/snow-fences.pdf');
INSERT INTO papers (id, title, authors, year, topic, body, source_path) VALUES ('p-tidal-01', 'Salinity Pulses and the Wear of Estuary Turbines', 'Tidal Systems Lab', 2019, 'tidal energy', '## Question

Turbines in estuaries wear out faster than turbines at sea, and the usual explanation is sand. We ask whether the rapid change between fresh and salt water does more harm than the sand it carries.

## Method

Six small turbines ran for 411 days in the mouth of a river. Each blade carried strips of four coatings. A logger, which we call the Brackish Diary, noted conductivity every 90 seconds and marked a salinity pulse whenever the reading moved by more than 8 grams per litre within one hour.

## Findings

Blades lost 0.37 millimetres of coating per year where pulses were frequent and 0.11 millimetres where they were rare, at the same load of sand. The number of pulses explained 62 percent of the difference in wear; sand explained 17 percent. A ceramic coating named Halite-9 kept its surface through 2,300 pulses before the first pit appeared, while plain epoxy pitted after 540. Slowing the rotor to 14 revolutions per minute during a pulse cut the wear by a third and cost only 2.4 percent of the yearly yield.

## Limits

The river froze twice, and the logger missed 19 days. We studied one estuary only, with a tidal range of 5.2 metres; a larger range may change the balance between sand and salt.', '/Users/reader/Papers/energy/tidal-salinity-2019.pdf');
INSERT INTO papers_fts (id, title, topic, body) VALUES ('p-bees-03', 'An Acoustic Census of Ground-Nesting Bees', 'pollinator monitoring', 'Ground-nesting bees are hard to count without digging. We test whether the sound of their entrances, heard through the soil, gives a census that harms nothing.

Contact microphones on steel pins were pushed 6 centimetres into a meadow, 1.5 metres apart, at 40 sites. A classifier called Humline looked for bursts between 210 and 290 hertz that last at least a quarter of a second. To check it, a team opened 60 plots after the season and counted brood cells by hand.

Humline found 87 percent of the nests and reported a nest that was not there in 5 percent of the plots. Counts were best from 10:15 to 11:45, when foragers return; after rain of more than 4 millimetres they should wait for two days. One observer can survey 1.2 hectares a day this way, against 0.3 hectares with emergence traps. Traffic was the main disturbance: within 70 metres of a road, half of the bursts were lost. The mean density was 23 nests per 100 square metres on sandy soil and 4 on loam.

Two species with similar wing beats, which nest together, could not be told apart. The batteries lasted nine days, so that long rainy spells ended three of the recordings early.');
INSERT INTO papers_fts (id, title, topic, body) VALUES ('p-crane-10', 'Rhythm Training for Tower Crane Operators', 'workplace training', 'A swinging load is calmed by braking at the right moment. Do operators learn that moment faster when they drum it first?

Fifty-two trainees were divided by lot. Half of them drummed along with a recorded pendulum for 15 minutes before each of ten lessons, a routine called Bob and Tap. The other half watched a film of the same length. All then moved a load of 800 kilograms to a target on a training crane.

The drummers brought the load to rest in 21 seconds, the film group in 34. They touched the target frame in 3 percent of the moves, against 8 percent. The gain was still there after 11 weeks without practice. Trainees with a musical background gained no more than others. The best tempo for drumming was 52 beats per minute, close to the swing of a load on a cable of 13 metres. Past the sixth lesson more drumming added nothing.

A training crane has no wind. We stopped the trial early for four trainees with wrist pain, and the instructors knew who had drummed.');
INSERT INTO papers_fts (id, title, topic, body) VALUES ('p-ferry-04', 'Silent Docking of Electric Harbour Ferries', 'underwater noise', 'Electric ferries are quiet under way, yet loud when they dock, because the thrusters reverse at full power. How much of this noise can a better approach avoid, without delay for passengers?

Two sister ferries made 318 dockings at a pier with three hydrophones. Half followed the usual approach. The other half followed the Glide Ladder, a rule that cuts power in four steps, starting 240 metres before the pier, and forbids reverse thrust above 0.9 metres per second.

The Glide Ladder lowered the peak noise by 11 decibels and made the average docking 17 seconds longer. Harbour porpoises were heard within 500 metres of the pier on 46 days with the new approach and on 21 days before. Energy use fell by 6.5 percent per trip, since no power went into stopping the ship. In winds over 13 metres per second captains abandoned the ladder in 4 dockings out of 10. Training took each captain two shifts.

Both ferries have pods at each end; ships with a single rudder may not hold their course at such low power. Hydrophone two failed in March, so the spring data rest on two instruments.');
INSERT INTO papers_fts (id, title, topic, body) VALUES ('p-glaze-05', 'A Self-Healing Glaze for Roof Tiles', 'building materials', 'Frost opens fine cracks in glazed roof tiles, and water does the rest. We look for a glaze that closes its own cracks on the roof, with no more heat than the summer sun.

A borate glaze was filled with hollow beads of zinc soap, 30 micrometres wide, at 12 percent by weight. We call the mixture Mendel-Z. Tiles were fired at 1,040 degrees Celsius, cracked by 150 cycles of frost, and laid on a test roof that faced south.

Cracks up to 55 micrometres wide closed within 16 days once the tile''s surface had reached 48 degrees Celsius on at least three of them. Wider cracks never closed. After healing, the tiles took up 1.8 percent of their weight in water; unhealed ones took up 7.4 percent. The beads work only once in the same place, so a tile can heal each spot a single time. The glaze added 0.22 euros to the price of a tile. Colour drifted slightly towards grey, by a value that 3 in 20 viewers noticed.

The test roof stood for two winters. Nobody knows yet how the beads age in twenty years, and lead-free firing above 1,100 degrees destroys them.');
INSERT INTO papers_fts (id, title, topic, body) VALUES ('p-ink-08', 'Reading Faded Iron-Gall Ink with Raking Light', 'document restoration', 'Iron-gall ink fades, but its acid leaves a groove in the paper. Can light that falls almost flat on the page bring the writing back, without touching it?

We photographed 96 letters from a harbour office, written between 1741 and 1803. A lamp circled the page at an angle of 9 degrees and took 36 pictures. Software called Furrow joined them into a map of depth. Five readers then transcribed the letters with and without the map.

With the depth map the readers deciphered 81 percent of the words; with the plain photograph they managed 34 percent. The gain was largest on rag paper thicker than 0.16 millimetres. Letters that had been pressed flat with a hot iron gave nothing, because the grooves were gone. The best colour was red, at 660 nanometres, since brown stains vanish in it. A page takes 7 minutes, and the lamp warms the paper by less than half a degree.

All letters came from one office. Parchment was not tested, and pencil leaves grooves that the software confuses with ink.');
INSERT INTO papers_fts (id, title, topic, body) VALUES ('p-kelp-06', 'Kelp Ropes That Record Their Own Growth', 'aquaculture sensing', 'Kelp farmers pull up ropes to see how the crop grows, and lose part of it each time. We wove a sensor into the rope, so that the rope itself reports its weight.

A fibre of stretchable graphite rubber runs along the core of each rope. Its resistance rises with the load. Forty ropes, 25 metres long, hung at a depth of 3 metres from October to May. Every second week divers weighed a sample by hand. The reading is called the drag index.

The drag index followed the weighed crop with an error of 0.9 kilograms per metre. Growth was fastest in the 23 days after the water had warmed past 6.5 degrees Celsius. Farmers who harvested at a drag index of 74 gained 18 percent more biomass than those who harvested by the calendar. Storm loads could be told from growth because they fade within 5 hours. Snails settled on 7 ropes and raised the index although no kelp had grown.

The graphite fibre lost a tenth of its sensitivity in a season and must be recalibrated each autumn. A rope with the sensor costs 4.10 euros a metre, three times the price of a plain one.');
INSERT INTO papers_fts (id, title, topic, body) VALUES ('p-moss-02', 'Moss Walls as Night Coolers for Bus Shelters', 'urban cooling', 'Bus shelters store the heat of the day and give it back in the evening, when people wait in them. Can a wall of moss, wetted once a day, cool a shelter through the night?

We fitted 28 shelters with panels of Ceratodon moss and left 28 others bare. A tank of 45 litres wetted each wall at 19:00. Black-globe thermometers stood at the height of a seated person, and the trial lasted from 3 May to 30 September.

Between 20:00 and 23:00 the moss shelters were 3.6 degrees Celsius cooler than the bare ones. The effect vanished when the relative humidity rose above 78 percent, which we propose as the cut-off for watering. Each wall used 31 litres of water a night, less than half of what a mist nozzle needs. Panels facing north survived; of the panels facing south, 9 of 14 had turned brown by August. Maintenance took 12 minutes per shelter and week. Passengers who were asked rated the moss shelters 4.3 out of 5 for comfort and the bare ones 3.1.

The summer was dry. We did not measure insects, and the cost of 640 euros per shelter leaves out the work of the city''s own staff.');
INSERT INTO papers_fts (id, title, topic, body) VALUES ('p-moth-12', 'Amber Street Lamps and the Detours of Moths', 'light pollution', 'Street lamps pull moths off their way. Amber lamps are said to do so less. We measured the detour itself, rather than counting the moths that end up in a trap.

A radar of 94 gigahertz followed single moths along a lane with 22 lamps that could be switched between white and amber. We recorded 1,907 flights in 48 nights and compared each with a straight line. The measure is called the Wander Ratio.

Under white lamps the Wander Ratio was 2.9, under amber lamps 1.4, and in the dark 1.2. Lamps hung 4 metres high drew moths from 27 metres away, and lamps of 8 metres from 41. Dimming amber lamps below 35 percent after midnight removed the last difference from the dark. Hawk moths were not affected by any of the colours. Walkers found the amber lane as safe as the white one, but 1 in 6 said that they could not tell a red car from a brown one.

Moths lighter than 40 milligrams are invisible to the radar. The lane had hedges on both sides, which lead moths along, and open fields may give larger detours.');
INSERT INTO papers_fts (id, title, topic, body) VALUES ('p-peat-11', 'Early Warning of Peat Fires from Buried Probes', 'wildfire detection', 'A peat fire creeps below the ground for days before smoke is seen. Can cheap probes in the peat raise the alarm sooner than a satellite?

We buried 220 probes at 35 centimetres in a drained bog. Each measures carbon monoxide and moisture, and sends a message of 12 bytes by radio every 20 minutes. The alarm rule, Ember Vote, rings when three neighbours within 50 metres exceed 30 parts per million of carbon monoxide. Crews lit 16 controlled fires.

Ember Vote found 15 of the 16 fires, on average 44 hours before the satellite did. It gave 2 false alarms in 14 months, both beside a tractor. Peat below 110 percent moisture by dry weight always carried the fire; above 160 percent it never did. A probe costs 27 euros and its battery lasts 31 months. Wild boar dug out 13 probes, most of them in the first autumn.

The fires were small and lit on dry days. Radio did not reach across a ridge of 20 metres, and deep peat below the probes was left unwatched.');
INSERT INTO papers_fts (id, title, topic, body) VALUES ('p-rice-09', 'Floating Clover in Alternately Flooded Rice', 'crop emissions', 'Rice fields that are drained now and then give off less methane, yet they need more weeding. We ask whether a mat of floating clover can take over the weeding and keep the methane low.

Eighteen fields on four farms were flooded and drained in turns of 8 days. In nine of them water clover was sown at 14 kilograms per hectare, three weeks after the rice was planted. Gas was sampled at dawn with the chamber that we named the Lantern.

Fields with clover gave off 41 percent less methane than fields that were always flooded, and 9 percent less than fields that were only drained. Hand weeding fell from 62 to 25 hours per hectare. The yield was 6.1 tonnes per hectare, the same as without clover. The mat must cover 70 percent of the water before day 40; if it is later, weeds win. Nitrous oxide rose slightly, by 0.3 kilograms per hectare, which takes back a tenth of the gain.

Ducks ate the clover on one farm. The winter frost that kills the mat came late, and none of the farms uses herbicide, so we cannot say how the two would mix.');
INSERT INTO papers_fts (id, title, topic, body) VALUES ('p-snow-07', 'Snow Fence Geometry on Mountain Roads', 'winter road safety', 'Snow fences keep drifts off the road, but most are copied from flat land. Which height, gap and distance work on a slope, where the wind turns upward?

Models at a scale of 1 to 20 stood in a wind tunnel with crushed walnut shell as snow. Then 14 real fences were built on a pass at 2,140 metres, and a laser scanner measured the drifts every six hours for two winters. The best design is named the Lee Comb.

The Lee Comb stands 2.7 metres high, leaves 55 percent of its face open and keeps a bottom gap of 30 centimetres. On slopes steeper than 12 degrees it belongs 38 metres uphill from the road, not the usual 25 times its height. It held 71 cubic metres of snow per metre of fence before it was full. Closures of the pass fell from 26 to 9 days a winter. Below a wind of 7 metres per second all designs worked alike. Wooden slats lasted as well as steel and weighed 40 percent less.

The winters were of average snow. Wet snow, which sticks to the slats, closed the openings on 5 occasions and turned the fence into a wall.');
INSERT INTO papers_fts (id, title, topic, body) VALUES ('p-tidal-01', 'Salinity Pulses and the Wear of Estuary Turbines', 'tidal energy', 'Turbines in estuaries wear out faster than turbines at sea, and the usual explanation is sand. We ask whether the rapid change between fresh and salt water does more harm than the sand it carries.

Six small turbines ran for 411 days in the mouth of a river. Each blade carried strips of four coatings. A logger, which we call the Brackish Diary, noted conductivity every 90 seconds and marked a salinity pulse whenever the reading moved by more than 8 grams per litre within one hour.

Blades lost 0.37 millimetres of coating per year where pulses were frequent and 0.11 millimetres where they were rare, at the same load of sand. The number of pulses explained 62 percent of the difference in wear; sand explained 17 percent. A ceramic coating named Halite-9 kept its surface through 2,300 pulses before the first pit appeared, while plain epoxy pitted after 540. Slowing the rotor to 14 revolutions per minute during a pulse cut the wear by a third and cost only 2.4 percent of the yearly yield.

The river froze twice, and the logger missed 19 days. We studied one estuary only, with a tidal range of 5.2 metres; a larger range may change the balance between sand and salt.');
INSERT INTO preferences (key, value) VALUES ('answer_length', 'Give at most three findings.');
INSERT INTO preferences (key, value) VALUES ('answer_style', 'Plain sentences, with numbers and units as the paper states them.');
