import type { RecordKinds } from '@collab-etl/contract/streams'
import { hexId } from '../source/ids.ts'
import { person } from '../source/people.ts'
import { CHANGED_ONE_IN, CHANGED_REST, pidOf } from '../source/world.ts'
import { Texts } from './markdown.ts'
import type { DocumentWorld } from './world.ts'

/** Top-level pages of a project; the others are their children, at most so many per parent. */
const TOP_PAGES = 12
const CHILDREN = 6

/** One in so many pages and posts links to others; the rest only to other sites. */
const LINKED_ONE_IN = 5

const HOUR = 3_600_000
const CREATED = Date.UTC(2023, 0, 1)

/** Numbers of records that a project has of each kind at most. */
export const PER_PROJECT = 1_000_000

/** First number of posts and their comments and files, so that ids are unique. */
const POSTS_FROM = 1_000_000_000
const COMMENTS_FROM = 2_000_000_000
const FILES_FROM = 3_000_000_000

type Page = RecordKinds['page']
type Post = RecordKinds['post']
type PostComment = RecordKinds['post_comment']

/** The records of one project: its pages and posts. */
export class ProjectRecords {
  readonly pid: string
  readonly #project: number
  readonly #pages: number
  readonly #posts: number
  readonly #version: number
  readonly #texts: Texts

  constructor(project: number, { pages, posts, version = 0, vocabulary }: Omit<DocumentWorld, 'projects'>) {
    this.pid = pidOf(project)
    this.#project = project
    this.#pages = pages
    this.#posts = posts
    this.#version = version
    this.#texts = new Texts(vocabulary)
  }

  detail(): RecordKinds['project'] {
    const { pid } = this
    const archived = 0 as const
    const shared = { pid, name: `Handbook ${this.#project}`, desc: 'A project of the bench', archived }
    const looks = { pic: 'icon.png', bg: '#2255aa', visibility: 1, team_id: hexId(3_999_999_999) }
    const role = { is_star: archived, pos: this.#project, member_count: 60, curr_role: 1, permission: 31 }
    return {
      pid,
      detail: { ...shared, ...looks, labels: [{ name: 'red', desc: 'red things' }], created_by: person(0) },
      listed: { ...shared, ...looks, ...role },
    }
  }

  *pages(): Generator<Page> {
    for (let index = 0; index < this.#pages; index++) {
      const parent = index < TOP_PAGES ? undefined : Math.floor((index - TOP_PAGES) / CHILDREN)
      yield {
        page_id: this.#pageId(index),
        parent_id: parent === undefined ? '' : this.#pageId(parent),
        pid: this.pid,
        ...this.#written(this.#number(index)),
      }
    }
  }

  *posts(): Generator<Post> {
    for (let index = 0; index < this.#posts; index++) {
      yield { post_id: this.#postId(index), pid: this.pid, ...this.#written(POSTS_FROM + this.#number(index)) }
    }
  }

  *knownPosts(): Generator<RecordKinds['known_post']> {
    for (let index = 0; index < this.#posts; index++) {
      yield { pid: this.pid, post_id: this.#postId(index), source: 'page' }
    }
  }

  /** Up to five per post. */
  *comments(): Generator<PostComment> {
    for (let index = 0; index < this.#posts; index++) {
      const post = this.#number(index)
      for (let comment = 0; comment < post % 6; comment++) yield this.#comment(index, post * 6 + comment)
    }
  }

  #comment(post: number, number: number): PostComment {
    const text = this.#texts.comment(number)
    const fid = hexId(FILES_FROM + number)
    const file = {
      fid,
      name: `plan ${number}.pdf`,
      desc: '',
      pid: this.pid,
      size: '1024',
      path: `/${fid}`,
      folder_id: '',
    }
    const files = number % 8 === 0 ? [file] : []
    return {
      post_id: this.#postId(post),
      comment: {
        cid: hexId(COMMENTS_FROM + number),
        message: text,
        raw_message: text,
        type: 1,
        format: 1,
        fids: files.map(({ fid }) => fid),
        files,
        owner: person(number),
        created_at: time(number),
      },
    }
  }

  /** Fields common to pages and posts. */
  #written(number: number) {
    const text = this.#texts.text(number, number % LINKED_ONE_IN === 0 ? this.#links(number) : [])
    const version = number % CHANGED_ONE_IN === CHANGED_REST ? this.#version : 0
    const content = version === 0 ? text : `${text}\nRevision ${version}\n`
    return {
      name: this.#texts.title(number),
      summary: content.slice(0, 120),
      content,
      created_at: time(number),
      updated_at: time(number + 500 + version),
      owner: person(number),
      watchers: Array.from({ length: 1 + (number % 3) }, (_, index) => person(number * 7 + index)),
    }
  }

  /** Links as copied from the browser: to pages and a post, and sometimes to a deleted record. */
  #links(number: number): string[] {
    const project = `https://collab.example.com/project/${this.pid}`
    const page = (offset: number) =>
      `${project}/page/${this.#pageId((number * 13 + offset) % Math.max(1, this.#pages))}`
    const links = [page(1)]
    if (number % 2 === 0) links.push(page(2))
    if (this.#posts > 0 && number % 3 === 0) links.push(`${project}/post/${this.#postId(number % this.#posts)}`)
    if (number % 100 === 0) links.push(`${project}/page/${'0'.repeat(24)}`)
    return links
  }

  #pageId(index: number): string {
    return hexId(this.#number(index))
  }

  #postId(index: number): string {
    return hexId(POSTS_FROM + this.#number(index))
  }

  /** Over all projects. */
  #number(index: number): number {
    return this.#project * PER_PROJECT + index
  }
}

function time(number: number): string {
  return new Date(CREATED + (number % 20_000) * HOUR + (number % 1000)).toISOString()
}
