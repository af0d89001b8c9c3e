import { hash } from 'node:crypto'
import { STREAMS, type StreamName } from '@collab-etl/contract/streams'
import { type Driver, hasTable } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { SCHEMA_VERSION } from '../tables/schema.ts'

/** The conditions under which received bytes become the same rows. */
export function recordConditions(toolVersion: string, readAs = ''): string {
  return hash('sha256', JSON.stringify([toolVersion, SCHEMA_VERSION, readAs]))
}

export interface StoredBlock {
  readonly id: number
  readonly stream: StreamName
  readonly count: number
  readonly bytes: number
  /** Whether it was written under the same conditions: version of the tool and the tables, and patterns of links. */
  readonly isCurrent: boolean
}

/**
 * The table of blocks of received bytes (`received-block.ts`). It is in the staging schema, because no version of the tool reads blocks of
 * another version. It is a logged table, because it must survive a crash of the server.
 */
export class ReceivedTable {
  readonly #driver: Driver
  readonly #name: string
  readonly #conditions: string

  private constructor(driver: Driver, name: string, conditions: string) {
    this.#driver = driver
    this.#name = name
    this.#conditions = conditions
  }

  static async open(driver: Driver, schema: SchemaNames, conditions: string): Promise<ReceivedTable> {
    const name = `${schema.stage}.received`
    if (!(await hasTable(driver, name))) {
      await driver.script(
        `CREATE TABLE IF NOT EXISTS ${name} (
           id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, pid text COLLATE "C" NOT NULL, stream text NOT NULL,
           conditions text NOT NULL, records integer NOT NULL, block bytea NOT NULL
         );
         ALTER TABLE ${name} ALTER COLUMN block SET STORAGE EXTERNAL;
         CREATE INDEX IF NOT EXISTS received_pid ON ${name} (pid)`,
      )
    }
    return new ReceivedTable(driver, name, conditions)
  }

  /** All blocks of a project, oldest first. */
  async list(pid: string): Promise<StoredBlock[]> {
    const { rows } = await this.#driver.query(
      `SELECT id, stream, records, octet_length(block), conditions = $2 FROM ${this.#name} WHERE pid = $1 ORDER BY id`,
      [pid, this.#conditions],
    )
    return rows.flatMap(([id, name, count, bytes, isCurrent]) => {
      const stream = STREAMS.find((known) => known === name)
      return stream === undefined
        ? []
        : [{ id: Number(id), stream, count: Number(count), bytes: Number(bytes), isCurrent: isCurrent === true }]
    })
  }

  async read(id: number): Promise<Buffer> {
    const { rows } = await this.#driver.query(`SELECT encode(block, 'base64') FROM ${this.#name} WHERE id = $1`, [id])
    return Buffer.from(String(rows[0]?.[0] ?? ''), 'base64')
  }

  async add(pid: string, blocks: readonly { stream: StreamName; count: number; block: Buffer }[]): Promise<void> {
    await this.#driver.query(
      `INSERT INTO ${this.#name} (pid, stream, conditions, records, block)
       SELECT $1, b.stream, $2, b.records, decode(b.block, 'base64') FROM unnest($3::text[], $4::integer[], $5::text[]) AS b (stream, records, block)`,
      [
        pid,
        this.#conditions,
        blocks.map(({ stream }) => stream),
        blocks.map(({ count }) => count),
        blocks.map(({ block }) => block.toString('base64')),
      ],
    )
  }

  async remove(ids: readonly number[]): Promise<void> {
    await this.#driver.query(`DELETE FROM ${this.#name} WHERE id = ANY ($1::bigint[])`, [ids])
  }
}
