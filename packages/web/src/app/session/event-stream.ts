import { events, type UserEvent } from '@tern/contract/events'
import { resumeSession, currentAccessToken } from './session.ts'

const firstWaitMs = 1000
const longestWaitMs = 30_000
/** The server says something every 15 s; a stream that is silent for longer than this is dead. */
const silenceMs = 40_000

/** One message of a `text/event-stream`: its id and its data. One without data is no event; it only moves the position on. */
export interface Message {
  readonly id: string | undefined
  readonly data: string
}

/** Cuts a `text/event-stream` into messages, however its text is cut into pieces. Comments and unknown fields are skipped. */
export async function* readMessages(pieces: AsyncIterable<string>): AsyncGenerator<Message> {
  let rest = ''
  for await (const piece of pieces) {
    const blocks = (rest + piece).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = block.split('\n')
      const valuesOf = (name: string) =>
        fields.filter((field) => field.startsWith(`${name}:`)).map((field) => field.slice(name.length + 1).trimStart())
      const data = valuesOf('data').join('\n')
      const id = valuesOf('id').at(-1)
      if (data !== '' || id !== undefined) yield { id, data }
    }
  }
}

/** How long to wait before the next attempt: doubled each time up to 30 s, and never at the same moment for everybody. */
export const waitBefore = (attempt: number, chance: number = Math.random()): number =>
  Math.min(firstWaitMs * 2 ** attempt, longestWaitMs) * (0.5 + chance / 2)

/** Resolves after `ms`, or as soon as the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(ms)])
  return new Promise((resolve) => over.addEventListener('abort', () => resolve(), { once: true }))
}

async function* textOf(body: ReadableStream<Uint8Array>, onPiece: () => void): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onPiece()
    yield value
  }
}

/** One connection, from its request to its end. Throws when it breaks. */
async function readOnce(
  lastEventId: string | undefined,
  signal: AbortSignal,
  onMessage: (message: Message) => void,
): Promise<void> {
  const token = await currentAccessToken()
  if (token === undefined) return
  const silence = new AbortController()
  let alarm = setTimeout(() => silence.abort(), silenceMs)
  const heard = () => {
    clearTimeout(alarm)
    alarm = setTimeout(() => silence.abort(), silenceMs)
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
      signal: AbortSignal.any([signal, silence.signal]),
    })
    if (response.status === 401) await resumeSession()
    if (!response.ok || !response.body) throw new Error(`The event stream answered ${response.status}.`)
    for await (const message of readMessages(textOf(response.body, heard))) onMessage(message)
  } finally {
    clearTimeout(alarm)
  }
}

/**
 * Follows the signed-in person's events until the signal is aborted. A connection that ends is made again with growing
 * pauses, from the event after the last one that was seen; while the device is offline or the page is hidden there is none.
 * `isFirst` is true for the first event of a stream that did not begin where another had ended.
 */
export async function followEvents(
  onEvent: (event: UserEvent, isFirst: boolean) => void,
  signal: AbortSignal,
): Promise<void> {
  let lastEventId: string | undefined
  let attempt = 0
  while (!signal.aborted) {
    await untilAwake(signal)
    if (signal.aborted) return
    const sleep = untilAsleep(signal)
    let isFirst = lastEventId === undefined
    try {
      await readOnce(lastEventId, sleep.signal, ({ id, data }) => {
        attempt = 0
        lastEventId = id ?? lastEventId
        if (data === '') return
        onEvent(JSON.parse(data) as UserEvent, isFirst)
        isFirst = false
      })
    } catch {
      // A connection that breaks is an everyday thing; the next one goes on where it ended.
    }
    const wasPutToSleep = sleep.signal.aborted
    sleep.stop()
    if (!wasPutToSleep) await pause(waitBefore(attempt++), signal)
  }
}

const isAwake = (): boolean => navigator.onLine && !document.hidden

function onWakefulness(changed: () => void): () => void {
  addEventListener('online', changed)
  addEventListener('offline', changed)
  document.addEventListener('visibilitychange', changed)
  return () => {
    removeEventListener('online', changed)
    removeEventListener('offline', changed)
    document.removeEventListener('visibilitychange', changed)
  }
}

/** Waits until the device is online and the page is seen, or the signal is aborted. */
const untilAwake = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const stop = onWakefulness(check)
    function check() {
      if (!isAwake() && !signal.aborted) return
      stop()
      signal.removeEventListener('abort', check)
      resolve()
    }
    signal.addEventListener('abort', check)
    check()
  })

/** A signal that is aborted when the device goes offline, the page is hidden, or the outer signal is. */
function untilAsleep(outer: AbortSignal): { signal: AbortSignal; stop: () => void } {
  const inner = new AbortController()
  const stop = onWakefulness(() => isAwake() || inner.abort())
  return { signal: AbortSignal.any([outer, inner.signal]), stop }
}
