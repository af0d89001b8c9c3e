import type { RecordKinds } from '@collab-etl/contract/streams'
import { randomFrom } from '@collab-etl/harness/random'
import { hexId } from '../source/ids.ts'
import { taskRecord } from '../source/task-record.ts'
import { CHANGED_ONE_IN, CHANGED_REST, pidOf } from '../source/world.ts'
import { CHINESE_SHARE, chinese, words } from './markdown.ts'
import { PER_PROJECT } from './records.ts'
import type { DocumentWorld } from './world.ts'

/** First number of tasks, so that ids are unique. */
const TASKS_FROM = 500_000_000

type Task = RecordKinds['task']

/** The tasks of one project, with the lists of those of the benches' service. */
export class ProjectTasks {
  readonly #project: number
  readonly #world: Omit<DocumentWorld, 'projects'>

  constructor(project: number, world: Omit<DocumentWorld, 'projects'>) {
    this.#project = project
    this.#world = world
  }

  *all(): Generator<Task> {
    for (let index = 0; index < (this.#world.tasks ?? 0); index++) yield this.#task(index)
  }

  #task(index: number): Task {
    const { version = 0, vocabulary } = this.#world
    const pid = pidOf(this.#project)
    const record = taskRecord(index, {}) as Task // of the documented fields
    const random = randomFrom(index * 17 + 3)
    const name =
      vocabulary === undefined
        ? `Prepare the release of part ${index % 97}`
        : random() < CHINESE_SHARE
          ? chinese(random, 8, vocabulary)
          : words(random, 5, vocabulary)
    const changed = version !== 0 && index % CHANGED_ONE_IN === CHANGED_REST ? ` again ${version}` : ''
    const more = vocabulary === undefined ? '' : words(random, 16, vocabulary)
    return {
      ...record,
      pid,
      tid: hexId(TASKS_FROM + this.#project * PER_PROJECT + index),
      name: `${name}${changed}`,
      pos: index,
      desc: [record.desc, more].join('\n'),
      project: { pid, name: 'Bench', pic: 'icon.png', bg: '#2255aa' },
    }
  }
}
