import { expect, expectTypeOf, test } from 'vitest'
import type { OperationById, OperationParams, OperationRecord, Received, Task, User } from '../src/index.ts'
import { OPERATIONS } from '../src/index.ts'

test('params of an operation: required ones must be given, optional ones may be', () => {
  type Params = OperationParams<OperationById<'tasks.list'>>
  expectTypeOf<{ pid: string }>().toExtend<Params>()
  expectTypeOf<{ pid: string; type: 'expired' }>().toExtend<Params>()
  expectTypeOf<{ type: 'expired' }>().not.toExtend<Params>()
  expectTypeOf<{ pid: string; type: 'late' }>().not.toExtend<Params>()
  expect(OPERATIONS).toHaveLength(23)
})

test('a received record: its key is there, other fields may be null, lists never are', () => {
  type T = Received<typeof Task>
  expectTypeOf<T['tid']>().toEqualTypeOf<string>()
  expectTypeOf<T['name']>().toEqualTypeOf<string | null>()
  expectTypeOf<T['members'][number]['uid']>().toEqualTypeOf<string>()
  expectTypeOf<T['completed']>().toEqualTypeOf<0 | 1 | null>()
  expectTypeOf<T['extra']>().toEqualTypeOf<Record<string, unknown> | undefined>()
  expectTypeOf<Received<typeof User>['online']>().toEqualTypeOf<number | null>()
  expectTypeOf<OperationRecord<OperationById<'posts.get'>>['content']>().toEqualTypeOf<string | null>()
  expectTypeOf<OperationRecord<OperationById<'events.list'>>['location']>().toEqualTypeOf<string | null | undefined>()
})
