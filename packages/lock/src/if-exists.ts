/**
 * The result of a call of the file system; `null` if there is no such file or directory. Other errors, such as EACCES, are thrown: a file that
 * this process may not look at can exist.
 * @example if ((await ifExists(stat(path))) === null) await create(path)
 */
export async function ifExists<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Whether an error says that there is no such file or directory. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

/** Whether an error says that the disk has no space left, or the user's quota none. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
