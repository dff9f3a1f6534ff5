import { events, type UserEvent } from '@tern/contract/events'
import { resumeSession, currentAccessToken } from './session.ts'

const firstWaitMs = 1000
const longestWaitMs = 30_000
/** Silence after which a stream counts as broken; the server sends data every 15 s. */
const silenceMs = 40_000

/** One message of a `text/event-stream`. One without data is no event, but its id still advances the position. */
export interface Message {
  readonly id: string | undefined
  readonly data: string
}

/** Parses a `text/event-stream` into messages, however its text is split. Comments and unknown fields are skipped. */
export async function* readMessages(chunks: AsyncIterable<string>): AsyncGenerator<Message> {
  let remainder = ''
  for await (const chunk of chunks) {
    const blocks = (remainder + chunk).split('\n\n')
    remainder = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = block.split('\n')
      const listValues = (name: string) =>
        fields.filter((field) => field.startsWith(`${name}:`)).map((field) => field.slice(name.length + 1).trimStart())
      const data = listValues('data').join('\n')
      const id = listValues('id').at(-1)
      if (data !== '' || id !== undefined) yield { id, data }
    }
  }
}

/** Milliseconds before the next attempt: doubled each time up to 30 s, with jitter. */
export const computeDelay = (attempt: number, chance: number = Math.random()): number =>
  Math.min(firstWaitMs * 2 ** attempt, longestWaitMs) * (0.5 + chance / 2)

/** Resolves after `ms`, or as soon as the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const endSignal = AbortSignal.any([signal, AbortSignal.timeout(ms)])
  return new Promise((resolve) => endSignal.addEventListener('abort', () => resolve(), { once: true }))
}

async function* readChunks(body: ReadableStream<Uint8Array>, onChunk: () => void): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onChunk()
    yield value
  }
}

/** Reads one connection to its end. Throws if it breaks. */
async function readConnection(
  lastEventId: string | undefined,
  signal: AbortSignal,
  onMessage: (message: Message) => void,
): Promise<void> {
  const token = await currentAccessToken()
  if (token === undefined) return
  const silenceAbort = new AbortController()
  let silenceTimer = setTimeout(() => silenceAbort.abort(), silenceMs)
  const restartTimer = () => {
    clearTimeout(silenceTimer)
    silenceTimer = setTimeout(() => silenceAbort.abort(), silenceMs)
  }
  try {
    const response = await fetch(`/api${events.path}`, {
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${token}`,
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
      credentials: 'same-origin',
      cache: 'no-store',
      signal: AbortSignal.any([signal, silenceAbort.signal]),
    })
    if (response.status === 401) await resumeSession()
    if (!response.ok || !response.body) throw new Error(`The event stream answered ${response.status}.`)
    for await (const message of readMessages(readChunks(response.body, restartTimer))) onMessage(message)
  } finally {
    clearTimeout(silenceTimer)
  }
}

/**
 * Follows the signed-in person's events until the signal is aborted. Reconnects with growing pauses and resumes after
 * the last event seen; stays disconnected while the device is offline or the page is hidden. `isFirst` is true for the
 * first event of a stream that does not continue an earlier one.
 */
export async function followEvents(
  onEvent: (event: UserEvent, isFirst: boolean) => void,
  signal: AbortSignal,
): Promise<void> {
  let lastEventId: string | undefined
  let attempt = 0
  while (!signal.aborted) {
    await waitUntilActive(signal)
    if (signal.aborted) return
    const inactive = createInactiveSignal(signal)
    let isFirst = lastEventId === undefined
    try {
      await readConnection(lastEventId, inactive.signal, ({ id, data }) => {
        attempt = 0
        lastEventId = id ?? lastEventId
        if (data === '') return
        onEvent(JSON.parse(data) as UserEvent, isFirst)
        isFirst = false
      })
    } catch {
      // Broken connections are normal; the next one continues after the last event.
    }
    const hasGoneInactive = inactive.signal.aborted
    inactive.stop()
    if (!hasGoneInactive) await pause(computeDelay(attempt++), signal)
  }
}

const isActive = (): boolean => navigator.onLine && !document.hidden

function subscribeActivity(onChange: () => void): () => void {
  addEventListener('online', onChange)
  addEventListener('offline', onChange)
  document.addEventListener('visibilitychange', onChange)
  return () => {
    removeEventListener('online', onChange)
    removeEventListener('offline', onChange)
    document.removeEventListener('visibilitychange', onChange)
  }
}

/** Resolves when the device is online and the page visible, or the signal is aborted. */
const waitUntilActive = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const stop = subscribeActivity(check)
    function check() {
      if (!isActive() && !signal.aborted) return
      stop()
      signal.removeEventListener('abort', check)
      resolve()
    }
    signal.addEventListener('abort', check)
    check()
  })

/** Signal that is aborted when the device goes offline, the page is hidden, or the outer signal is aborted. */
function createInactiveSignal(parent: AbortSignal): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController()
  const stop = subscribeActivity(() => isActive() || controller.abort())
  return { signal: AbortSignal.any([parent, controller.signal]), stop }
}
