/** Name of a directory in which a backup is written before it is renamed. */
export const TEMPORARY_DIRECTORY = /^\.collab-export-[0-9a-f]{16}\.tmp$/
