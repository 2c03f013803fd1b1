/** What every simulated transcript says: two speakers, one after the other. */
const spokenWords = [
  { word: "simulated", written: "Simulated", speaker: 0 },
  { word: "transcript", written: "transcript.", speaker: 0 },
  { word: "indeed", written: "Indeed.", speaker: 1 },
] as const;

/** The same as one text. */
export const spokenText = spokenWords.map(({ written }) => written).join(" ");

/** Returns the words with times that share the seconds among them. */
export function timedWords(seconds: number) {
  const each = seconds / spokenWords.length;
  return spokenWords.map((one, index) => ({
    ...one,
    start: index * each,
    end: (index + 1) * each,
  }));
}
