declare module 'fs-native-extensions' {
  /** Locks a range of an open file for this open file alone; `false` where another open file holds it. */
  export function tryLock(fd: number, offset: number, length: number): boolean
}
