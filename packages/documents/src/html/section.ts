import type { FileSink } from '../format.ts'
import type { Label } from '../views/task.ts'
import type { PageWriter } from './page-writer.ts'
import type { ProjectPeople } from './people/project-people.ts'
import type { ProjectMap } from './project-map.ts'
import type { RecordTexts, SiteTools } from './record-texts.ts'
import type { ShardWriter } from './search/shard-writer.ts'

/** What the parts of a project's site write with. */
export interface Section {
  readonly pid: string
  readonly tools: SiteTools
  readonly map: ProjectMap
  readonly files: FileSink
  readonly pages: PageWriter
  readonly texts: RecordTexts
  readonly shards: ShardWriter
  /** `null` if the site has no people. */
  readonly people: ProjectPeople | null
  /** Of the project. */
  readonly labels: readonly Label[]
}
