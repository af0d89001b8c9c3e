-- Ids that do not exist are asked for again at growing intervals; what may be listed of numbers.

ALTER TABLE known_posts ADD COLUMN missed integer NOT NULL DEFAULT 0, ADD COLUMN ask_again_at timestamptz;
COMMENT ON TABLE known_posts IS 'Ids of posts that are known, to be read by snapshots; the service does not list posts';
COMMENT ON COLUMN known_posts.missed IS 'how often in a row the service answered that it does not exist; 0 while it exists or was never asked for';
COMMENT ON COLUMN known_posts.ask_again_at IS 'runs before then do not ask for it again, unless it is named; null while missed is 0';

ALTER TABLE known_files ADD COLUMN missed integer NOT NULL DEFAULT 0, ADD COLUMN ask_again_at timestamptz;
COMMENT ON TABLE known_files IS 'Ids of files that are known, to be read by snapshots; the service does not list files';
COMMENT ON COLUMN known_files.missed IS 'how often in a row the service answered that it does not exist; 0 while it exists or was never asked for';
COMMENT ON COLUMN known_files.ask_again_at IS 'runs before then do not ask for it again, unless it is named; null while missed is 0';

COMMENT ON COLUMN losses.kind IS 'coerced (read as the type it should have had), rounded (a number with more digits than the column holds), missing (null, or an empty list), unreadable (null), unkeyed (left out), duplicate (one is kept), misplaced (kept in the project it was read from), invalid_utf8, nul_character or lone_surrogate (replaced by U+FFFD), too_long (an id of more than 512 bytes: its beginning and a hash are kept), unaskable (an id that no request can name: what it names is not read), invalid_timestamp or out_of_range (null)';
