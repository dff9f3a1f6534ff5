import { setUndoWindow, undoWindow } from '@tern/contract/transfers'
import type { FastifyInstance } from 'fastify'
import { limitPerUser } from '../../../platform/http/rate-limits.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { UndoWindows } from '../transfers.ts'

const maxChangesPerMinute = 30

/** Serves the caller's `/user/undo-window`. */
export function undoWindowsRoutes(app: FastifyInstance, undoWindows: UndoWindows): void {
  const limitChanges = limitPerUser(app, 'undo-window', maxChangesPerMinute)

  serve(app, undoWindow, ({ caller }) => undoWindows.read(caller.userId))

  serve(app, setUndoWindow, async ({ caller, body, request }) => {
    await limitChanges(request)
    return undoWindows.set({ userId: caller.userId, window: body })
  })
}
