import Type, { type TSchema } from 'typebox'
import { expect, test } from 'vitest'
import { isResource, OPERATIONS, type Resource } from '../src/index.ts'

// The documented fields, written by hand; `?` marks one that may be absent.
const FIELDS: Readonly<Record<string, string>> = {
  User: 'uid name display_name avatar desc status online',
  Label: 'name desc',
  ProjectReference: 'pid name pic bg',
  Todo: 'todo_id name checked pos',
  Badges: 'expire_date comment_count todo_checked_count todo_count file_count',
  Task: 'name pid tid entry_id entry_name created_at updated_at pos labels todos badges watchers members completed completed_date expire_date desc project',
  TodayTask:
    'name pid tid entry_id entry_name created_at updated_at pos labels todos badges watchers members completed expire_date desc project',
  BareTask:
    'name pid tid entry_id entry_name created_at updated_at labels todos badges watchers members completed expire_date desc project',
  Comment: 'cid message raw_message type format fids owner files created_at',
  NewComment: 'cid message type format fids owner files created_at uid client',
  CommentFile: 'fid name desc pid size path folder_id',
  File: 'fid name desc pid size path folder_id type created_at updated_at watchers owner',
  Post: 'post_id pid name summary content created_at updated_at owner watchers',
  NewPost: 'post_id pid name summary created_at updated_at owner',
  Page: 'page_id parent_id pid name summary content created_at updated_at owner watchers',
  NewPage: 'page_id parent_id pid name summary created_at updated_at owner watchers',
  ProjectDetail: 'pid name desc archived pic bg visibility team_id labels created_by',
  ProjectListItem: 'pid name team_id desc archived pic bg visibility is_star pos member_count curr_role permission',
  Event: 'event_id name summary location? email? desc? start end recurrence attendees project',
  Webhook: 'wid pid uid name web_hook_url created_at updated_at actions is_every type',
  Success: 'success',
}

function reachable(schema: TSchema, found: Map<string, Resource>): Map<string, Resource> {
  if (isResource(schema)) {
    found.set(schema.title, schema)
    for (const field of Object.values(schema.properties)) reachable(field, found)
  } else if ('items' in schema) {
    reachable(schema.items as TSchema, found) // the only schema under `items` in the contract is an element's
  }
  return found
}

const resources = new Map<string, Resource>()
for (const { success } of OPERATIONS) reachable(success.kind === 'array' ? success.item : success.schema, resources)

test('the resources of all operations have exactly the documented fields', () => {
  const defined = [...resources].map(([title, resource]) => {
    const fields = Object.entries(resource.properties).map(([name, field]) =>
      Type.IsOptional(field) ? `${name}?` : name,
    )
    return [title, fields.sort()]
  })
  const written = Object.entries(FIELDS).map(([title, fields]) => [title, fields.split(' ').sort()])
  expect(Object.fromEntries(defined)).toEqual(Object.fromEntries(written))
})

test('every field says what it means', () => {
  for (const resource of resources.values()) {
    for (const [name, field] of Object.entries(resource.properties)) {
      if (isResource(field)) continue
      expect([resource.title, name, 'description' in field]).toEqual([resource.title, name, true])
    }
  }
})
