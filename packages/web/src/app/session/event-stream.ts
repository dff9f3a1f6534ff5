import { events, type UserEvent } from '@tern/contract/events'
import { resumeSession, currentAccessToken } from './session.ts'

const firstWaitMs = 1000
const longestWaitMs = 30_000
/** The server sends something every 15 s; a stream that is silent for longer than this is dead. */
const silenceMs = 40_000

/** One message of a `text/event-stream`. Without data it is no event, but its id advances the position. */
export interface Message {
  readonly id: string | undefined
  readonly data: string
}

/** Parses a `text/event-stream` into messages, however its text is split. Comments and unknown fields are skipped. */
export async function* readMessages(pieces: AsyncIterable<string>): AsyncGenerator<Message> {
  let rest = ''
  for await (const piece of pieces) {
    const blocks = (rest + piece).split('\n\n')
    rest = blocks.pop() ?? ''
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
export const waitBefore = (attempt: number, chance: number = Math.random()): number =>
  Math.min(firstWaitMs * 2 ** attempt, longestWaitMs) * (0.5 + chance / 2)

/** Resolves after `ms`, or as soon as the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(ms)])
  return new Promise((resolve) => over.addEventListener('abort', () => resolve(), { once: true }))
}

async function* streamText(body: ReadableStream<Uint8Array>, onPiece: () => void): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onPiece()
    yield value
  }
}

/** Reads one connection to its end. Throws if it breaks. */
async function readOnce(
  lastEventId: string | undefined,
  signal: AbortSignal,
  onMessage: (message: Message) => void,
): Promise<void> {
  const token = await currentAccessToken()
  if (token === undefined) return
  const silence = new AbortController()
  let alarm = setTimeout(() => silence.abort(), silenceMs)
  const resetAlarm = () => {
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
    for await (const message of readMessages(streamText(response.body, resetAlarm))) onMessage(message)
  } finally {
    clearTimeout(alarm)
  }
}

/**
 * Follows the signed-in person's events until the signal is aborted. Reconnects with growing pauses, after the last
 * event seen; stays disconnected while the device is offline or the page is hidden. `isFirst` is true for the first
 * event of a stream that does not continue an earlier one.
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
      // Broken connections are normal; the next one continues after the last event.
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

/** Resolves when the device is online and the page visible, or the signal is aborted. */
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

/** Signal that is aborted when the device goes offline, the page is hidden, or the outer signal is aborted. */
function untilAsleep(outer: AbortSignal): { signal: AbortSignal; stop: () => void } {
  const inner = new AbortController()
  const stop = onWakefulness(() => isAwake() || inner.abort())
  return { signal: AbortSignal.any([outer, inner.signal]), stop }
}
