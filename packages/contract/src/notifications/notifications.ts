import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { moment, noContent, uuid } from '../protocol/wire.ts'
import { type NotificationCode, notificationParams, type NotificationParams } from './notification-params.ts'

const codes = Object.keys(notificationParams) as [NotificationCode, ...NotificationCode[]]

/** A notification; its sentence follows from `code` and `params`, whose shape `notificationParams` gives for each code. */
export const notificationShape = z.object({
  id: uuid,
  code: z.enum(codes),
  params: z.record(z.string(), z.unknown()),
  /** The transaction, request, schedule, order, rule, alert, transfer or session it is about. */
  subject_id: z.nullable(uuid),
  /** Whether it waits for the person to do something. */
  needs_action: z.boolean(),
  created_at: moment,
  read_at: z.nullable(moment),
})
type OfCode<C extends NotificationCode> = { readonly code: C; readonly params: NotificationParams[C] }
/** A notification by its code. */
export type Notification = Omit<z.output<typeof notificationShape>, 'code' | 'params'> &
  { [C in NotificationCode]: OfCode<C> }[NotificationCode]

export const notifications = endpoint({
  method: 'GET',
  path: '/notifications',
  summary: "The caller's notifications, newest first, 30 at a time, and how many are unread.",
  access: 'session',
  query: z.object({
    /** `next_cursor` of the page before. */
    cursor: z.optional(uuid),
  }),
  reply: z.object({
    /** What waits for the person, at most 20. On the first page only, and not repeated below. */
    needs_action: z.array(notificationShape),
    notifications: z.array(notificationShape),
    unread: z.int(),
    /** Null on the last page. */
    next_cursor: z.nullable(uuid),
  }),
})

export const unreadNotifications = endpoint({
  method: 'GET',
  path: '/notifications/unread',
  summary: "How many of the caller's notifications are unread.",
  access: 'session',
  reply: z.object({ unread: z.int() }),
})

export const readNotification = endpoint({
  method: 'POST',
  path: '/notifications/:id/read',
  summary: 'Mark a notification as read.',
  access: 'session',
  params: z.object({ id: uuid }),
  ...noContent,
  refusals: ['not_found'],
})

export const readNotifications = endpoint({
  method: 'POST',
  path: '/notifications/read',
  summary: 'Mark this notification and all older ones as read.',
  access: 'session',
  body: z.object({ up_to: uuid }),
  ...noContent,
})
