import Type from 'typebox'
import { operation } from '../operation.ts'
import { NewPage, Page } from '../resources/page.ts'
import { body, filled, optional, pid } from './params.ts'

export const pageOperations = [
  operation({
    id: 'pages.create',
    number: 9,
    method: 'POST',
    path: '/v1/page',
    summary: 'Creates a page',
    params: {
      pid,
      name: body(filled('document name')),
      content: optional(body(Type.String({ description: 'content in markdown' }))),
      parent_id: optional(body(Type.String({ description: 'parent document id' }))),
    },
    success: { kind: 'object', schema: NewPage },
    errors: [
      { code: 120002, status: 400, meaning: 'document name empty' },
      { code: 120003, status: 500, meaning: 'creating document failed' },
    ],
  }),
  operation({
    id: 'pages.list',
    number: 10,
    method: 'GET',
    path: '/v1/pages',
    summary: 'Pages of a project, with their content',
    params: { pid },
    success: { kind: 'array', item: Page },
    errors: [{ code: 120001, status: 500, meaning: 'getting document list failed' }],
  }),
] as const
