/** The parts of an entry, in the order of their keys. */
export const deskChapters = ['match', 'money', 'rules', 'people'] as const
export type DeskChapter = (typeof deskChapters)[number]
