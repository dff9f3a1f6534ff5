import * as z from 'zod/mini'
import { endpoint } from './protocol/endpoint.ts'

/** For how many seconds a send can be taken back; 0: it is final at once. */
export const undoSeconds = z.int().check(z.minimum(0), z.maximum(1800))

const undoWindowShape = z.object({
  seconds: undoSeconds,
  /** Which sends can be taken back; `new_payees`: those to people whom the sender has never paid. */
  applies_to: z.enum(['new_payees', 'everybody', 'nobody']),
})
export type UndoWindow = z.output<typeof undoWindowShape>

export const undoWindow = endpoint({
  method: 'GET',
  path: '/user/undo-window',
  summary:
    'For how long the caller can take back what they send, and to whom. A quote tells what that means for its recipient; a send asks for it by `undo_seconds`.',
  access: 'session',
  reply: undoWindowShape,
})

export const setUndoWindow = endpoint({
  method: 'PUT',
  path: '/user/undo-window',
  summary: 'Choose for how long one’s own sends can be taken back, and to whom. Holds for quotes made from now on.',
  access: 'session',
  body: undoWindowShape,
  reply: undoWindowShape,
  refusals: ['rate_limited'],
})
