/** Reads records to their end. */
type RecordConsumer<T, R> = (records: AsyncIterable<T>) => Promise<R>

/**
 * Gives every consumer the same records. The first record is read when all consumers ask for it, each later one when all are done with the
 * one before, so that no record is kept. If the source or a consumer fails, the others fail with the same error.
 */
export async function shareRecords<T, R>(
  source: AsyncIterable<T>,
  consumers: readonly RecordConsumer<T, R>[],
): Promise<R[]> {
  const [only] = consumers
  if (only && consumers.length === 1) return [await only(source)]
  const channels = consumers.map(() => new Channel<T>())
  const running = consumers.map(async (consume, index) => {
    const channel = channels[index] ?? new Channel<T>()
    try {
      return await consume(channel)
    } catch (error) {
      for (const other of channels) other.fail(error)
      throw error
    } finally {
      channel.leave()
    }
  })
  // A failure is thrown below, when all consumers have ended.
  for (const consumer of running) consumer.catch(() => {})
  try {
    for (const channel of channels) await channel.taken()
    for await (const record of source) {
      for (const channel of channels) channel.offer(record)
      for (const channel of channels) await channel.taken()
    }
    for (const channel of channels) channel.end()
  } catch (error) {
    for (const channel of channels) channel.fail(error)
    await Promise.allSettled(running)
    throw error
  }
  await Promise.allSettled(running)
  return await Promise.all(running)
}

type State = 'open' | 'ended' | 'left' | { readonly error: unknown }

/** Hands records to one consumer, one at a time. */
class Channel<T> implements AsyncIterableIterator<T, void, undefined> {
  #offered: { readonly record: T } | null = null
  #state: State = 'open'
  #wakeConsumer: (() => void) | null = null
  #wakeProducer: (() => void) | null = null

  offer(record: T): void {
    this.#offered = { record }
    this.#wake()
  }

  /** Resolves when the consumer asks for another record, or asks no more. */
  async taken(): Promise<void> {
    while (this.#state === 'open' && (this.#offered !== null || this.#wakeConsumer === null)) {
      await new Promise<void>((resolve) => {
        this.#wakeProducer = resolve
      })
    }
    if (typeof this.#state === 'object') throw this.#state.error
  }

  end(): void {
    if (this.#state === 'open') this.#state = 'ended'
    this.#wake()
  }

  fail(error: unknown): void {
    if (this.#state === 'open') this.#state = { error }
    this.#wake()
  }

  /** The consumer has ended. */
  leave(): void {
    if (this.#state === 'open') this.#state = 'left'
    this.#wake()
  }

  async next(): Promise<IteratorResult<T, void>> {
    for (;;) {
      if (typeof this.#state === 'object') throw this.#state.error
      if (this.#offered !== null) {
        const { record } = this.#offered
        this.#offered = null
        return { done: false, value: record }
      }
      if (this.#state !== 'open') return { done: true, value: undefined }
      await new Promise<void>((resolve) => {
        this.#wakeConsumer = resolve
        this.#wakeProducer?.()
      })
    }
  }

  async return(): Promise<IteratorResult<T, void>> {
    this.leave()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #wake(): void {
    const [consumer, producer] = [this.#wakeConsumer, this.#wakeProducer]
    this.#wakeConsumer = null
    this.#wakeProducer = null
    consumer?.()
    producer?.()
  }
}
