import * as z from 'zod/mini'
import { endpoint } from '../protocol/endpoint.ts'
import { decimal, moment, noContent, uuid } from '../protocol/wire.ts'
import { type NotificationCode, notificationParams, type NotificationParams } from './notification-params.ts'

const codes = Object.keys(notificationParams) as [NotificationCode, ...NotificationCode[]]

/** Notification; its sentence is derived from `code` and `params`, whose shape per code is in `notificationParams`. */
export const notificationShape = z.object({
  id: uuid,
  code: z.enum(codes),
  params: z.record(z.string(), z.unknown()),
  /** Id of the transaction, request, schedule, order, rule, alert, transfer or session concerned. */
  subject_id: z.nullable(uuid),
  needs_action: z.boolean(),
  created_at: moment,
  read_at: z.nullable(moment),
  /**
   * Time of the account holder's answer, or time at which it became unnecessary; null while pending, and if no answer
   * is needed.
   */
  answered_at: z.nullable(moment),
})
type NotificationWithCode<C extends NotificationCode> = { readonly code: C; readonly params: NotificationParams[C] }
/** Notification typed by its code. */
export type Notification = Omit<z.output<typeof notificationShape>, 'code' | 'params'> &
  { [C in NotificationCode]: NotificationWithCode<C> }[NotificationCode]

export const notifications = endpoint({
  method: 'GET',
  path: '/notifications',
  summary: "The caller's notifications, newest first, 30 at a time, and the number of unread groups.",
  access: 'session',
  query: z.object({
    /** `next_cursor` of the previous page. */
    cursor: z.optional(uuid),
    /** Id of any notification in a group; restricts the list to that group. */
    group: z.optional(uuid),
  }),
  reply: z.object({
    /**
     * Notifications that need an answer: at most 20, or 1000 of one group. Only on the first page; not repeated in the
     * list.
     */
    needs_action: z.array(notificationShape),
    notifications: z.array(notificationShape),
    unread: z.int(),
    /** Null on the last page. */
    next_cursor: z.nullable(uuid),
  }),
  refusals: ['not_found'],
})

/**
 * Notifications of one kind and device, of one kind and person on one day, or the settled security events of a month.
 */
export const notificationGroupShape = z.object({
  /** Newest notification, which identifies the group. */
  latest: notificationShape,
  count: z.int(),
  unread: z.int(),
  /** Sum received, in the currency of `latest`; null for a single notification and for groups without money. */
  total: z.nullable(decimal),
  /** Counts of settled security events of a month; null for other groups. */
  summary: z.nullable(z.object({ logins: z.int(), devices: z.int(), changes: z.int() })),
})
/** Group whose newest notification is typed by its code. */
export type NotificationGroup = Omit<z.output<typeof notificationGroupShape>, 'latest'> & {
  readonly latest: Notification
}

export const notificationGroups = endpoint({
  method: 'GET',
  path: '/notifications/groups',
  summary: "The caller's notifications in groups, newest first, 30 at a time, and the number of unread groups.",
  access: 'session',
  query: z.object({
    /** `next_cursor` of the previous page. */
    cursor: z.optional(uuid),
  }),
  reply: z.object({
    /** Groups that need an answer, at most 20. Only on the first page; not repeated in the list. */
    needs_action: z.array(notificationGroupShape),
    groups: z.array(notificationGroupShape),
    unread: z.int(),
    /** Null on the last page. */
    next_cursor: z.nullable(uuid),
  }),
})

export const unreadNotifications = endpoint({
  method: 'GET',
  path: '/notifications/unread',
  summary: "Number of the caller's notification groups with an unread notification.",
  access: 'session',
  reply: z.object({ unread: z.int() }),
})

export const readNotification = endpoint({
  method: 'POST',
  path: '/notifications/:id/read',
  summary: 'Mark a notification, and older ones of its group, as read and answered.',
  access: 'session',
  params: z.object({ id: uuid }),
  ...noContent,
  refusals: ['not_found'],
})

export const readNotifications = endpoint({
  method: 'POST',
  path: '/notifications/read',
  summary: 'Mark this notification and all older ones as read. Those that need an answer stay open.',
  access: 'session',
  body: z.object({ up_to: uuid }),
  ...noContent,
})

/** Schemas of the API reference, by public name. */
export const namedSchemas = {
  Notification: notificationShape,
  NotificationGroup: notificationGroupShape,
}
