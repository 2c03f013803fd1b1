import type { Switch } from "@tollgate/catalog/allowances";
import type { ChatInput } from "@tollgate/catalog/chat-inputs";
import { PageCounter } from "@tollgate/core/document-pages";
import { isJsonObject, type JsonObject } from "@tollgate/core/json";
import { isPublicUrl } from "@tollgate/core/public-host";
import type { TextSize } from "@tollgate/core/text-size";
import { secondsOfAudio } from "@tollgate/core/wav-seconds";
import type { PromptSize } from "@tollgate/proto/tollgate/v1/chat";

/** A part that not every model takes, by its path. */
interface Need {
  name: ChatInput | Switch;
  param: string;
}

/** The size of a prompt while it is measured. */
export interface PromptMeasure extends TextSize {
  imageParts: number;
  /** Pages of documents. */
  pages: number;
  /** Counts them. */
  pageCounter: PageCounter;
  /** Seconds of audio. */
  audioSeconds: number;
  /** What the parts need of the model besides text and images. */
  needs: Need[];
  /** The path of the first image; empty for none. */
  firstImageParam: string;
  /** The path of the first URL whose host is not public; empty for none. */
  privateUrlParam: string;
}

/** Notes a URL that the provider would fetch. A data URL is fetched from nowhere. */
export function addUrl(
  url: unknown,
  path: string,
  measure: Pick<PromptMeasure, "privateUrlParam">,
) {
  if (measure.privateUrlParam !== "" || typeof url !== "string") return;
  if (/^data:/i.test(url) || isPublicUrl(url)) return;
  measure.privateUrlParam = path;
}

/** Notes what a part needs of the model. The first part of each kind is enough. */
export function addNeed(name: ChatInput | Switch, param: string, { needs }: PromptMeasure): void {
  if (!needs.some((need) => need.name === name)) needs.push({ name, param });
}

/** Adds the audio of a part `input_audio`, which chat completions and Responses share. */
export function addAudio({ input_audio: audio }: JsonObject, path: string, size: PromptMeasure) {
  addNeed("audio", path, size);
  const { data, format } = isJsonObject(audio) ? audio : {};
  size.audioSeconds += secondsOfAudio(typeof data === "string" ? data : "", format);
}

export function newMeasure(): PromptMeasure {
  return {
    bytes: 0,
    characters: 0,
    imageParts: 0,
    pages: 0,
    pageCounter: new PageCounter(),
    audioSeconds: 0,
    needs: [],
    firstImageParam: "",
    privateUrlParam: "",
  };
}

/** Returns a measured prompt of which no part is stored. */
export function promptSizeOf(measure: PromptMeasure, messages: number): PromptSize {
  return {
    $typeName: "tollgate.v1.PromptSize",
    textBytes: BigInt(measure.bytes),
    textCharacters: BigInt(measure.characters),
    unstoredTextBytes: 0n,
    unstoredTextCharacters: 0n,
    messages,
    imageParts: measure.imageParts,
    firstImageParam: measure.firstImageParam,
    privateUrlParam: measure.privateUrlParam,
    pages: measure.pages,
    audioSeconds: measure.audioSeconds,
    needs: measure.needs.map(({ name, param }) => {
      return { $typeName: "tollgate.v1.PromptNeed", name, param };
    }),
  };
}
