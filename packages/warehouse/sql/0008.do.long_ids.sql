-- Ids that no index row could hold, and those that no request can name.

COMMENT ON COLUMN losses.kind IS 'coerced (read as the type it should have had), missing (null, or an empty list), unreadable (null), unkeyed (left out), duplicate (one is kept), misplaced (kept in the project it was read from), invalid_utf8, nul_character or lone_surrogate (replaced by U+FFFD), too_long (an id of more than 512 bytes: its beginning and a hash are kept), unaskable (an id that no request can name: what it names is not read), invalid_timestamp or out_of_range (null)';
