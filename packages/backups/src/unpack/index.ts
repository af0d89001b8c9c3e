export { archiveKeys, DECRYPT_OPTIONS, type DecryptFlags } from './decrypt-flags.ts'
export { PrivateDirectory } from './private-directory.ts'
export { warnOfLeft } from './warn-of-left.ts'
