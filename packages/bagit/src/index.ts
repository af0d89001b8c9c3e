export type { LinkTotals, PayloadFile } from './bag-files.ts'
export { type BagSection, BagWriter, type SplicedPayloadFile, type TagFile } from './bag-writer.ts'
export { FileChecker } from './check-file.ts'
export { type CheckedFile, openChecked } from './checked-file.ts'
export type { Damage } from './damage.ts'
export { type DifferingFiles, differingFiles } from './differing-files.ts'
export { DigestIndex } from './digest-index.ts'
export { BagError, type BagErrorCode, DamagedBagError, isBagError } from './errors.ts'
export { flushFolder, flushTree } from './flush.ts'
export {
  BAG_FILES,
  bagInfoText,
  bagInfoValue,
  isForeignBag,
  type ManifestEntry,
  OWN_MANIFEST,
  type Oxum,
  PAYLOAD_FOLDER,
  parseManifestLine,
  parseOxum,
} from './format.ts'
export { FILE_MODE, FOLDER_MODE } from './hashed-file.ts'
export { type BagFile, payloadFiles, payloadFilesUnder, readBagInfo } from './manifest.ts'
export { type ListedFiles, lastFiles, ManifestReader } from './manifest-reader.ts'
export { LineReader, linesOf, readSmallFile } from './plain-file.ts'
export { LINK_MODES, type LinkMode, PreviousBag } from './previous-bag.ts'
export { checkTags, tagFiles } from './read-bag.ts'
export {
  type OnLeft,
  openTemporaryDirectory,
  removeStaleDirectories,
  type TemporaryDirectory,
} from './temporary-directory.ts'
export { type Sample, type VerifyReport, verifyBag } from './verify.ts'
