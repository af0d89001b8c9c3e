export { isLockError, LockError, type LockErrorCode } from './errors.ts'
export { type Hold, holdFile } from './hold-file.ts'
export { describeOwner, type Owner } from './owner.ts'
export { type Lock, type LockOptions, takeLock } from './take-lock.ts'
