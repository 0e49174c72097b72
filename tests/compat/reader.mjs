// A reader of the search shards as a browser would be one, and the same search by its definition, over the lines of the
// index alone. Called with the directory of a layout; reads [{text, repo, limit}] from standard input and writes for
// each what both found. It knows nothing of the program that wrote the layout.
import { readFileSync } from "node:fs";

const [, , root] = process.argv;
const LEAST = 0.4;
const parsed = new Map();

function read(path) {
  if (!parsed.has(path)) parsed.set(path, JSON.parse(readFileSync(`${root}/${path}`, "utf8")));
  return parsed.get(path);
}

function words(text) {
  let left = text.toLowerCase();
  for (const dropped of [/\/[\w./-]+/g, /0x[0-9a-f]+/g, /\b\d+\b/g, /'[^']*'|"[^"]*"/g, /[^a-z ]+/g]) {
    left = left.replace(dropped, " ");
  }
  return [...new Set(left.split(" "))].filter((word) => word !== "");
}

function codesIn(text) {
  const found = [...text.matchAll(/\b[A-Z][A-Z0-9_]{2,}\b/g), ...text.matchAll(/\bE[A-Z]+\b/g)];
  return [...new Set(found.map((match) => match[0]))];
}

function shard(word) {
  let hash = 2166136261;
  for (const letter of word) hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619);
  return ((hash >>> 0) % 256).toString(16).padStart(2, "0");
}

// --- by the shards -----------------------------------------------------------------------------------------------------

function line(place) {
  const { metaChunk } = read("search/summary.json");
  return read(`search/meta/${Math.floor(place / metaChunk)}.json`)[place % metaChunk];
}

const byShards = {
  coded: (code) => (Object.hasOwn(read("search/codes.json"), code) ? read("search/codes.json")[code] : []),
  line,
  posting: (word) => {
    const file = read(`search/tokens/${shard(word)}.json`);
    return Object.hasOwn(file, word) ? { weight: file[word][0], places: file[word][1] } : null;
  },
  norm: (place) => read("search/norms.json")[place],
  count: () => read("search/summary.json").entryCount,
};

// --- by definition -----------------------------------------------------------------------------------------------------

const lines = read("index.json").errors;
const vectors = lines.map((entry) => words(entry.msg));
const holders = new Map();
vectors.forEach((vector, place) => vector.forEach((word) => holders.set(word, [...(holders.get(word) ?? []), place])));
const weigh = (word) => Math.log((lines.length + 1) / (holders.get(word).length + 1)) + 1;
const scaled = (value) => Math.round(value * 100);

const byDefinition = {
  coded: (code) => lines.flatMap((entry, place) => (entry.code === code ? [place] : [])),
  line: (place) => lines[place],
  posting: (word) => (holders.has(word) ? { weight: scaled(weigh(word)), places: holders.get(word) } : null),
  norm: (place) => scaled(Math.sqrt(vectors[place].reduce((sum, word) => sum + weigh(word) ** 2, 0))),
  count: () => lines.length,
};

// --- the search --------------------------------------------------------------------------------------------------------

function search(source, { text, repo, limit }) {
  const fits = (place) => !repo || source.line(place).repo === repo;
  const found = new Map();
  for (const code of codesIn(text)) for (const place of source.coded(code)) if (fits(place)) found.set(place, 1);
  const dots = new Map();
  let square = 0;
  for (const word of words(text)) {
    const posting = source.posting(word);
    const weight = posting ? posting.weight / 100 : Math.log(source.count() + 1) + 1;
    square += weight * weight;
    for (const place of posting?.places ?? []) dots.set(place, (dots.get(place) ?? 0) + weight * weight);
  }
  const scores = [...dots].map(([place, dot]) => [place, dot / ((source.norm(place) / 100) * Math.sqrt(square))]);
  const ranked = scores.filter(([place, score]) => score >= LEAST && !found.has(place)).sort((a, b) => b[1] - a[1]);
  for (const [place, score] of ranked) if (found.size < limit && fits(place)) found.set(place, Math.min(1, score));
  return [...found].slice(0, limit).map(([place, score]) => ({ id: source.line(place).id, score }));
}

function located(entry) {
  return line(read(`search/ids/${entry.id.slice(0, 2)}.json`)[entry.id]).id;
}

const asked = JSON.parse(readFileSync(0, "utf8"));
const answers = asked.map((query) => ({
  words: words(query.text),
  byShards: search(byShards, query),
  byDefinition: search(byDefinition, query),
}));
const lost = lines.filter((entry) => located(entry) !== entry.id).map((entry) => entry.id);
console.log(JSON.stringify({ answers, lost, count: lines.length }));
