export { BackupReader } from './backup-reader.ts'
export { csvRows, csvStyleOf } from './csv-rows.ts'
export { type BackupRecord, markdownRecord } from './markdown.ts'
export { type MarkdownFile, readFrontMatter, readMarkdownFile } from './markdown-file.ts'
export { compareKeys, itemsOf, merged, Peeked } from './ordered.ts'
export { Rebuilder, type RecordLine } from './rebuilder.ts'
export type { Place, Received } from './received.ts'
export {
  CSV_ATTACHMENTS,
  CSV_LISTS,
  type CsvAttachments,
  isAttachments,
  JSONL_FILES,
  type JsonlFile,
  jsonlFileOf,
  type RecordFormat,
  type RecordTable,
  TEAMS_FILE,
  USERS_FILE,
} from './record-files.ts'
