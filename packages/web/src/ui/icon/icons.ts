/** Icons of the product: paths on a grid of 24, drawn with a stroke of 1.5 and round ends. */
export const iconPaths = {
  home: 'M4 10.5 12 4l8 6.5V20H4zM9.5 20v-6h5v6',
  wallet:
    'M4 7.5h14.5A1.5 1.5 0 0 1 20 9v9a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 18zm0 0A2.5 2.5 0 0 1 6.5 5H17M16 13.5h.01',
  send: 'M5 19A19 19 0 0 1 18.5 6M11 5h8v8',
  receive: 'M19 5A19 19 0 0 1 5.5 18M13 19H5v-8',
  list: 'M4 6.5h16M4 12h16M4 17.5h10',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4.5 20a7.5 7.5 0 0 1 15 0',
  settings:
    'M4 7h9M17 7h3M4 17h3M11 17h9M15 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M9 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5',
  logout: 'M10 4H5v16h5M10 12h10M16 8l4 4-4 4',
  plus: 'M12 5v14M5 12h14',
  deposit: 'M12 4v11M7.5 10.5 12 15l4.5-4.5M4 16v4h16v-4',
  bank: 'M3.5 9.5 12 4l8.5 5.5zM6 13v4M12 13v4M18 13v4M4 20h16',
  card: 'M3.5 6h17v12h-17zM3.5 10h17M7 14.5h3',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14M16 16l4.5 4.5',
  next: 'm9 6 6 6-6 6',
  previous: 'm15 6-6 6 6 6',
  down: 'm6 9 6 6 6-6',
  check: 'm5 12.5 4.5 4.5L19 7',
  cross: 'M6 6l12 12M18 6 6 18',
  clock: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16M12 8v4.5l3 1.5',
  pause: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16M10 9v6M14 9v6',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  warning: 'M12 4 2.8 20h18.4zM12 10v4.5M12 17.2v.01',
  info: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16M12 11.5V16M12 8.2v.01',
  swap: 'M4 8.5h15l-3.5-3.5M20 15.5H5L8.5 19',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  undo: 'M5 9h9a5.5 5.5 0 0 1 0 11H9M9 5 5 9l4 4',
} as const

export type IconName = keyof typeof iconPaths
