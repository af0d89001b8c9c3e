-- Of several names that tasks show of their group, the freshest is stored; the others stay with their tasks.

COMMENT ON COLUMN entries.name IS 'task group name, as the task that was updated last shows it; tasks that show another have it in extra';
