-- The copies of a task that is in both lists are merged: what the archived list lacks comes from the other.

COMMENT ON COLUMN tasks.position IS 'position; null when the task is in the archived list alone, which does not have it';
COMMENT ON COLUMN tasks.completed_at IS 'completion time; null when there is none, and when the task is in the archived list alone, which does not have it';
