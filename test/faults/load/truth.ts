import { hash } from 'node:crypto'

/** Digest of a table: number of rows and sum of their hashes. */
export interface Digest {
  readonly rows: number
  readonly sum: bigint
}

export interface Digests {
  readonly tasks: Digest
  readonly todos: Digest
}

/** Used hexadecimal digits of the MD5 of a row's text, as in the SQL of `stored.ts`. */
export const HASH_DIGITS = 12

/** Archived tasks per page. */
const PAGE_SIZE = 1000

interface SentTask {
  readonly tid: string
  readonly name: string
  readonly updated_at: string
  readonly todos: readonly { readonly todo_id: string; readonly checked: number }[]
}

/** All tasks and checklist items of the service, read with plain requests. */
export async function truthOf(baseUrl: string, token: string): Promise<Digests> {
  const get = async (path: string) => {
    const response = await fetch(`${baseUrl}/v1${path}`, { headers: { access_token: token } })
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    return await response.json()
  }
  const tasks = new Sum()
  const todos = new Sum()
  const add = (pid: string, list: readonly SentTask[], archived: boolean) => {
    for (const { tid, name, updated_at, todos: items } of list) {
      tasks.add(`${pid}|${tid}|${name}|${Date.parse(updated_at)}|${archived ? 't' : 'f'}`)
      for (const { todo_id, checked } of items) todos.add(`${pid}|${tid}|${todo_id}|${checked === 1 ? 't' : 'f'}`)
    }
  }
  for (const { pid } of (await get('/projects')) as { pid: string }[]) {
    add(pid, (await get(`/tasks?pid=${pid}&type=all`)) as SentTask[], false)
    for (let page = 1, isLast = false; !isLast; page++) {
      const list = (await get(`/tasks/archived?pid=${pid}&page=${page}&size=${PAGE_SIZE}`)) as SentTask[]
      add(pid, list, true)
      isLast = list.length === 0
    }
  }
  return { tasks: tasks.digest, todos: todos.digest }
}

class Sum {
  #rows = 0
  #sum = 0n

  add(text: string): void {
    this.#rows += 1
    this.#sum += BigInt(`0x${hash('md5', text).slice(0, HASH_DIGITS)}`)
  }

  get digest(): Digest {
    return { rows: this.#rows, sum: this.#sum }
  }
}
