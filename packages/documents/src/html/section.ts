import type { FileSink } from '../format.ts'
import type { Person } from '../people.ts'
import type { PersonEntry } from './list-rows.ts'
import type { Overview } from './overview.ts'
import type { PageWriter } from './page-writer.ts'
import type { ProjectMap } from './project-map.ts'
import type { RecordPages } from './record-pages.ts'
import type { RecordTexts, SiteTools } from './record-texts.ts'
import type { ShardWriter } from './search/shard-writer.ts'

/** What the parts of a project's site write with. */
export interface Section {
  readonly pid: string
  readonly tools: SiteTools
  readonly map: ProjectMap
  readonly files: FileSink
  readonly pages: PageWriter
  /** Pages of single records. */
  readonly records: RecordPages
  /** The texts of the other pages. */
  readonly texts: RecordTexts
  readonly shards: ShardWriter
  /** `null` if the site has no people. */
  readonly people: PeopleOfRecords | null
  /** Of the project. */
  readonly title: string
  readonly overview: Overview
}

/** Gathers the records that name the people of a project. */
export interface PeopleOfRecords {
  /** The address of a person's page from a file; `null` if they have none, as no record of a user was read. */
  link(person: Person, path: string): string | null
  /** Adds a record to the pages of people. */
  add(people: readonly Person[], entry: PersonEntry): Promise<void>
}
