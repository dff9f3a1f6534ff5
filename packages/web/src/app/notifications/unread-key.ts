/** Cache key of everything about a person's notifications, which the event stream keeps current. */
export const notificationsKey = (userId: number) => ['notifications', userId] as const

/** Cache key of the count in the bell. */
export const unreadKey = (userId: number) => [...notificationsKey(userId), 'unread'] as const
