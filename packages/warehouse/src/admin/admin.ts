import type { Driver } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { SCHEMA_VERSION } from '../tables/schema.ts'
import { describeSchema } from './describe.ts'
import { grantRead, requireRoles } from './grant.ts'
import { migrate } from './migrate.ts'
import { missingObjects } from './missing-objects.ts'
import { requireSchema, schemaVersion } from './version.ts'

/** The schema itself: its version, its objects, and who may read them. */
export class Admin {
  readonly #driver: Driver
  readonly #schema: SchemaNames

  constructor(driver: Driver, schema: SchemaNames) {
    this.#driver = driver
    this.#schema = schema
  }

  /** The version of the schema in the database; 0 when there is none. */
  schemaVersion() {
    return schemaVersion(this.#driver, this.#schema, this.#driver.location)
  }

  /** Makes or upgrades the schema, in one transaction; gives both versions. Throws `SCHEMA_NEWER` if the database is newer. */
  migrate() {
    return migrate(this.#driver, this.#schema)
  }

  /** Tables, columns, views, functions and indexes of this version that are missing, as `view collab.overdue_tasks`. */
  async missingObjects(): Promise<string[]> {
    return (await this.schemaVersion()) === SCHEMA_VERSION ? missingObjects(this.#driver, this.#schema) : []
  }

  /** Throws `UNSUITABLE` if a pooler before the database shares sessions between clients, as it also is thrown when a run takes its lock. */
  async requireOwnSessions(): Promise<void> {
    await this.#driver.requireOwnSessions?.()
  }

  /** Throws `NO_ROLE`, with the missing names, unless all of the roles exist in the database. */
  requireRoles(roles: readonly string[]) {
    return requireRoles(this.#driver, roles, this.#driver.location)
  }

  /**
   * Lets a role read published rows, now and after later upgrades by the same user, and nothing else. The role finds tables without
   * naming the schema, unless `searchPath` is false: then the calling user may not set its search path.
   */
  async grantRead(role: string) {
    await requireSchema(this.#driver, this.#schema)
    return await grantRead(this.#driver, this.#schema, role)
  }

  /** The data dictionary of the schema and its history: tables, views, functions, their comments and relations. */
  async describe() {
    await requireSchema(this.#driver, this.#schema)
    return await describeSchema(this.#driver, this.#schema)
  }
}
