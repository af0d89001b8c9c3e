export type { Row, SourceRecord as ProjectRecord } from '@collab-etl/contract/source'
export {
  type BackupSummary,
  DOCUMENT_TABLES,
  type FileSink,
  type FileStream,
  type Format,
  type ListedKind,
  listOf,
  type PreviousFiles,
  type ProjectHead,
  type ProjectOutput,
  type ProjectWriter,
  type RecordFiles,
  type RecordParts,
  type StoredText,
  type TextStore,
  type WrittenProject,
} from './format.ts'
export { type LinkedRecord, type LinkPlace, LinkPlaces, type RecordLinks } from './link-places.ts'
export { LinkRewriter } from './link-rewriter.ts'
export { closed } from './markdown/closing-line.ts'
export { COMMENTS_MARKER } from './markdown/comments.ts'
export { CALENDAR_LINK } from './markdown/event-files.ts'
export { monthOf } from './markdown/event-section.ts'
export { commentText } from './markdown/file-section.ts'
export { MarkdownFormat } from './markdown/format.ts'
export { LINK_STYLES, type LinkStyle, rewriteLinks } from './markdown/links.ts'
export { isWithinParseBudget } from './markdown/parse-budget.ts'
export { readLinks } from './markdown/read-links.ts'
export { TASK_FOLDER } from './markdown/task-files.ts'
export { checklist, factList, type TaskFact, taskFacts } from './markdown/task-section.ts'
export { TITLE_HEADINGS, type TitleHeading } from './markdown/title-heading.ts'
export { FolderNames, NAMINGS, type Naming } from './names/naming.ts'
export { PathIndex, TASK_FILES, type TaskFileMode } from './path-index.ts'
export { People, type Person } from './people.ts'
export { keyOf, type RowSource, textOf } from './row.ts'
export type { Head, ListedIssue } from './tree/head.ts'
export { resolveParents } from './tree/parents.ts'
export { Places } from './tree/places.ts'
export { anchorOf } from './views/anchor.ts'
export { attachedTo, type ShownComment } from './views/comments.ts'
export { FileReferences } from './views/file-references.ts'
export { archiveYear, type TaskView, taskView } from './views/task.ts'
