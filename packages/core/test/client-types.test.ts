import type { OperationById, OperationId, OperationRecord } from '@collab-etl/contract'
import { expectTypeOf, test } from 'vitest'
import type { Client, Deletion, Method, ObjectAnswer, RecordBatch } from '../src/index.ts'

type Listed = OperationRecord<OperationById<'tasks.list'>>

test('a method of an array operation: all records, or batches of them', () => {
  type List = Client['tasks']['list']
  expectTypeOf<ReturnType<List>>().toEqualTypeOf<Promise<Listed[]>>()
  expectTypeOf<ReturnType<List['batches']>>().toEqualTypeOf<AsyncIterable<RecordBatch<Listed>>>()
  expectTypeOf<Parameters<List>[0]>().toExtend<{
    pid: string
    type?: 'all' | 'completed' | 'uncompleted' | 'expired'
  }>()
  expectTypeOf<Parameters<Client['tasks']['archived']['list']>[0]>().toExtend<{
    pid: string
    page: number
    size: number
  }>()
})

test('a method of an object operation: the record, or the record with its losses', () => {
  type Detail = OperationRecord<OperationById<'projects.get'>>
  expectTypeOf<ReturnType<Client['projects']['get']>>().toEqualTypeOf<Promise<Detail>>()
  expectTypeOf<ReturnType<Client['projects']['get']['read']>>().toEqualTypeOf<Promise<ObjectAnswer<Detail>>>()
})

test('a method that deletes says how it ended', () => {
  expectTypeOf<ReturnType<Client['webhooks']['delete']>>().toEqualTypeOf<Promise<Deletion>>()
  expectTypeOf<Parameters<Client['webhooks']['delete']>[0]>().toExtend<{ wid: string; pid?: string }>()
  expectTypeOf<{ wid: string; pid: undefined }>().not.toExtend<Parameters<Client['webhooks']['delete']>[0]>()
})

test('parameters may be left out where none is required, and only there', () => {
  expectTypeOf<Client['projects']['list']>().toBeCallableWith()
  expectTypeOf<Client['webhooks']['list']>().toBeCallableWith({ pid: 'p' })
  expectTypeOf<Client['webhooks']['list']>().toBeCallableWith()
  expectTypeOf<[]>().not.toExtend<Parameters<Client['tasks']['list']>>()
})

test('every operation has a method', () => {
  type All = { [Id in OperationId]: Method<OperationById<Id>> }
  expectTypeOf<keyof All>().toEqualTypeOf<OperationId>()
  expectTypeOf<keyof Client>().toEqualTypeOf<
    | 'tasks'
    | 'entries'
    | 'posts'
    | 'files'
    | 'pages'
    | 'projects'
    | 'events'
    | 'webhooks'
    | 'stats'
    | 'budget'
    | 'findings'
    | 'close'
  >()
})
