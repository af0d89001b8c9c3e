import { cut, type TaskForm } from './target.ts'

/** Gives labels names that a tool accepts. Different labels get different names, even for a tool that ignores case. */
export class LabelNames {
  readonly #form: Pick<TaskForm, 'maxLabel' | 'cleanLabel'>
  readonly #names = new Map<string, string>()
  /** By name in lower case, how many labels would have it. */
  readonly #wanted = new Map<string, number>()

  constructor(form: Pick<TaskForm, 'maxLabel' | 'cleanLabel'>) {
    this.#form = form
  }

  /** @param kind a label and a task group get different names, even if they have the same title */
  of(kind: 'group' | 'label', label: string): string {
    const key = `${kind} ${label}`
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const name = this.#free(cut(this.#form.cleanLabel?.(label) ?? label, this.#form.maxLabel).trim())
    this.#names.set(key, name)
    return name
  }

  #free(wanted: string): string {
    const before = this.#wanted.get(wanted.toLowerCase()) ?? 0
    this.#wanted.set(wanted.toLowerCase(), before + 1)
    if (before === 0 || wanted === '') return wanted
    const end = `-${before + 1}`
    return this.#free(`${cut(wanted, this.#form.maxLabel - end.length)}${end}`)
  }
}
