import type { ProjectTruth } from '@collab-etl/sandbox'

/** Pages by path and tasks, with their texts. */
export function createdIn({ pages, tasks }: ProjectTruth): unknown {
  const parents = new Map(pages.map((page) => [page.page_id, page]))
  const pathOf = (page: (typeof pages)[number] | undefined): string =>
    page === undefined ? '' : `${pathOf(parents.get(page.parent_id))}/${page.name}`
  return [
    pages.map((page) => [pathOf(page), page.content || page.summary].join('\n')).sort(),
    tasks.map(({ name, desc }) => [name, desc].join('\n')).sort(),
  ]
}
