import { plural } from '../../../plural.ts'

const counted = plural('en')

/** Upload of document photos, in the last step of the identity verification. */
export const upload = {
  passportPage: 'Photo page of your passport',
  sides: {
    front: (document: string) => `${document}, front`,
    back: (document: string) => `${document}, back`,
  },
  whole: 'Whole page, sharp, no glare.',
  accepted: 'JPEG, PNG, WebP or PDF, up to 10 MB. We strip where and when it was taken.',
  dropHere: 'Drop it here',
  takePhoto: 'Take a photo',
  takePhotoOf: (label: string) => `Take a photo: ${label}`,
  choose: 'Choose a file',
  chooseOf: (label: string) => `Choose a file: ${label}`,
  orDrop: 'or drop it here',
  uploading: (file: string) => `Uploading ${file}`,
  sent: (sent: string, whole: string) => `${sent} of ${whole} MB`,
  secondsLeft: (seconds: number) => counted(seconds, { one: '1 second left', other: `${seconds} seconds left` }),
  checking: (whole: string) => `${whole} MB sent · checking that it can be read`,
  checkingStatus: 'Checking that it can be read',
  cancelOf: (file: string) => `Cancel upload of ${file}`,
  received: 'Received and readable',
  kept: (size: string) => `${size} MB, stored encrypted`,
  show: 'Show',
  showOf: (label: string) => `Show: ${label}`,
  showFailed: "We couldn't show it. Please try again.",
  replace: 'Replace',
  replaceOf: (label: string) => `Replace: ${label}`,
  removeOf: (label: string) => `Remove: ${label}`,
  removeFailed: "We couldn't remove it. Please try again.",
  broken: (percent: number) => `The connection was lost at ${percent}%. Nothing was saved.`,
  tryAgain: 'Try again',
  chooseAnother: 'Choose another',
  chooseAnotherOf: (label: string) => `Choose another: ${label}`,
  isEmpty: 'This file is empty (0 bytes). Choose it again.',
  isTooLarge: (size: string) => `${size} MB is too large; the limit is 10 MB. A photo from your phone is enough.`,
  isDrawing: 'This is a drawing (SVG). Send a photo, a scan or a PDF.',
  isOtherType: 'This is neither a photo nor a PDF. Send a JPEG, PNG, WebP or PDF.',
  loadFailed: "We couldn't load the photos you sent.",
}
