declare module 'fs-native-extensions' {
  /** Locks a range of an open file; `false` if another open file holds the lock. */
  export function tryLock(fd: number, offset: number, length: number): boolean
}
