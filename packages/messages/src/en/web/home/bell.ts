const counted = (count: number) => (count >= 100 ? '99+' : String(count))

/** Notification bell in the top bar of the pages behind the login. */
export const bell = {
  bell: (unread: number) => (unread === 0 ? 'Notifications' : `Notifications, ${counted(unread)} unread`),
  counted,
  arrived: (unread: number) =>
    unread === 1 ? 'You have 1 unread notification' : `You have ${counted(unread)} unread notifications`,
}
