import type { Client } from '@collab-etl/core'

const DAY = 86_400_000

/** Reads what the target has of values, each list at most once. For what may have changed, use a new one. */
export class TargetReader {
  readonly #client: Client
  readonly #pid: string
  readonly #read = new Map<string, Promise<unknown>>()

  constructor(client: Client, pid: string) {
    this.#client = client
    this.#pid = pid
  }

  groups() {
    return this.#once('groups', () => this.#client.entries.list({ pid: this.#pid }))
  }

  task(tid: string) {
    return this.#once(`task ${tid}`, () => this.#client.tasks.get({ pid: this.#pid, tid }))
  }

  taskComments(tid: string) {
    return this.#once(`task_comments ${tid}`, () => this.#client.tasks.comments.list({ pid: this.#pid, tid }))
  }

  postComments(post_id: string) {
    return this.#once(`post_comments ${post_id}`, () => this.#client.posts.comments.list({ pid: this.#pid, post_id }))
  }

  /** Events from a day before to a day after: the service may take times of day in a zone of its own. */
  events(start: string, end: string) {
    const range = { start: Date.parse(start) - DAY, end: Date.parse(end) + DAY }
    return this.#once(`events ${start} ${end}`, () => this.#client.events.list({ pid: this.#pid, ...range }))
  }

  #once<T>(key: string, read: () => Promise<T>): Promise<T> {
    const reading = (this.#read.get(key) as Promise<T> | undefined) ?? read() // a key belongs to one type
    this.#read.set(key, reading)
    return reading
  }
}
