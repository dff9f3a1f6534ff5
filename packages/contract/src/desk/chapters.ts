/** Chapters of a desk item, in the order of their keyboard shortcuts. */
export const deskChapters = ['match', 'money', 'rules', 'people'] as const
export type DeskChapter = (typeof deskChapters)[number]
