export { isLockError, LockError, type LockErrorCode } from './errors.ts'
export { describeOwner, type Owner } from './owner.ts'
export { type Hold, holdFile, type Lock, type LockOptions, takeLock } from './take-lock.ts'
