import type { Target } from '../target.ts'

/** An archive of Markdown files whose first folders become collections: https://docs.getoutline.com/s/guide/doc/import-export */
export const outline: Target = {
  title: 'Outline',
  pages: new Set(['pages', 'posts', 'tasks', 'events', 'files']),
}
