export { makeDirectory } from './make-directory.ts'
export { type Hold, holdFile } from './os-lock.ts'
export { describeOwner, isLockError, LockError, type LockErrorCode, type Owner } from './owner.ts'
export { type Lock, type LockOptions, takeLock } from './take-lock.ts'
