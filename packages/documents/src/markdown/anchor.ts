import { anchorOf } from '../views/anchor.ts'

/** The line that marks a record's place, before its heading. */
export function anchorLine(kind: 'task' | 'file', id: string): string {
  return `<a id="${anchorOf(kind, id)}"></a>\n\n`
}
