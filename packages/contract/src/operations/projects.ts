import { PROJECT_NOT_FOUND } from '../errors.ts'
import { operation } from '../operation.ts'
import { ProjectDetail, ProjectListItem } from '../resources/project.ts'
import { path } from './params.ts'

export const projectOperations = [
  operation({
    id: 'projects.get',
    number: 12,
    method: 'GET',
    path: '/v1/projects/:pid',
    summary: 'One project with its labels and creator',
    params: { pid: path('project id') },
    success: { kind: 'object', schema: ProjectDetail },
    errors: [
      { code: 400002, status: 400, meaning: 'project id must not be empty' },
      { code: 400003, status: 500, meaning: 'getting project failed' },
      { code: PROJECT_NOT_FOUND, status: 404, meaning: 'project does not exist' },
    ],
  }),
  operation({
    id: 'projects.list',
    number: 15,
    method: 'GET',
    path: '/v1/projects',
    summary: 'Projects of the caller',
    params: {},
    success: { kind: 'array', item: ProjectListItem },
    errors: [{ code: 400001, status: 500, meaning: "getting the user's projects failed" }],
  }),
] as const
