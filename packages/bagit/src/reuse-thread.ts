import { parentPort, workerData } from 'node:worker_threads'
import { isBagError } from './errors.ts'
import { PreviousBag } from './previous-bag.ts'
import type { ThreadAnswer, ThreadJob, ThreadTask } from './reuse-tasks.ts'
import { ReusedFiles } from './reused-files.ts'

// Links and splices files beside the thread that renders others: `reuse-tasks.ts` starts it.
const { folder, previous, mode } = workerData as ThreadJob // as it was started with
const bag = new PreviousBag(previous, mode)
const files = new ReusedFiles(folder, bag)
let last: Promise<void> = Promise.resolve()
parentPort?.on('message', (message: ThreadTask) => {
  last = last.then(async () => parentPort?.postMessage(await answer(message)))
})

async function answer({ id, task }: ThreadTask): Promise<ThreadAnswer> {
  try {
    const result = await files.run(task)
    if (task.kind === 'link') for (const lines of [task.files.manifest, task.files.sizes]) free(lines)
    return { id, result, refusal: bag.refusal }
  } catch (error) {
    // A message keeps neither the class nor the properties of an error.
    const { message } = error instanceof Error ? error : new Error(String(error))
    const failure = { message, isBagError: isBagError(error), properties: { ...(error as object) } }
    return { id, failure, refusal: bag.refusal }
  }
}

/** Frees the memory of an array at once: the thread has little other garbage, and would collect it only at the end. */
function free({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
