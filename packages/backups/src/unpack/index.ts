export { archiveKeys, DECRYPT_OPTIONS, type Decrypter, type DecryptFlags } from './decrypt-flags.ts'
export { PrivateDirectory } from './private-directory.ts'
export { type UnpackOptions, unpacked } from './unpacked.ts'
export { warnOfLeft } from './warn-of-left.ts'
