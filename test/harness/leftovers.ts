/** A folder in which a backup is made. */
export const WORKSPACE = /^\.collab-export-[0-9a-f]{16}\.tmp$/
