"""Our own sentences, in the owner's language.

What the model reads in results is English; what a person reads is here, in English and in Simplified Chinese.
"""

from __future__ import annotations

from collections.abc import Mapping

SENTENCES: Mapping[str, tuple[str, str]] = {
    "no_answer": (
        "The model gave no answer, twice. Say it again, or try another model.",
        "模型两次都没有给出回答。请再说一遍，或换一个模型。",
    ),
    "only_thoughts": (
        "The model thought until its answer was full, and said nothing. "
        "Raise llm.max_tokens, or let it think less with llm.thinking.",
        "模型一直在思考，直到长度用尽也没有回答。请调大 llm.max_tokens，或用 llm.thinking 减少思考。",
    ),
    "stuck": (
        "I tried {tool} {times} times and it failed the same way: {message} What should I do?",
        "我试了 {times} 次 {tool}，每次都同样失败：{message} 我该怎么办？",
    ),
    "in_circles": (
        "I keep calling {tool} and learn nothing new from it. What should I do?",
        "我反复调用 {tool}，却得不到新的结果。我该怎么办？",
    ),
    "many_rounds": (
        "I have taken {rounds} steps and am not done. Shall I go on?",
        "我已经走了 {rounds} 步，还没做完。要继续吗？",
    ),
    "goal_set": ("My goal for you: {text}", "给你的目标：{text}"),
    "goal_none": (
        "There is no goal. Set one with: /goal <what shall be reached>",
        "现在没有目标。用 /goal <要达成的事> 来设定。",
    ),
    "goal_active": (
        "I am working at it: {text} ({turns} turns, {tokens} tokens so far).",
        "正在进行：{text}（已用 {turns} 轮，{tokens} 个 token）。",
    ),
    "goal_paused": (
        "The goal rests: {text}. /goal resume takes it up again.",
        "目标已暂停：{text}。用 /goal resume 继续。",
    ),
    "goal_done": ("The goal is reached: {text}. {reason}", "目标已达成：{text}。{reason}"),
    "goal_stuck": (
        "I cannot get further with the goal: {text}. {reason} /goal resume lets me try again.",
        "目标进行不下去了：{text}。{reason} 用 /goal resume 让我再试。",
    ),
    "goal_spent": (
        "I have used up what a goal may cost ({turns} turns, {tokens} tokens) and it is not reached: {text}. "
        "/goal resume allows the same again.",
        "目标的预算已用完（{turns} 轮，{tokens} 个 token），还没有达成：{text}。"
        "用 /goal resume 再给一份预算。",
    ),
    "goal_cleared": ("The goal is gone.", "目标已清除。"),
    "goal_help": (
        "/goal <what shall be reached>, /goal status, /goal pause, /goal resume, /goal clear",
        "/goal <要达成的事>、/goal status、/goal pause、/goal resume、/goal clear",
    ),
    "compacted": (
        "I summed up our conversation: {before} tokens became {after}.",
        "已整理对话：{before} 个 token 变为 {after} 个。",
    ),
    "not_compacted": (
        "Our conversation could not be made shorter; it stays as it is.",
        "对话没有变短，保持原样。",
    ),
    "cleared": (
        "We begin anew; the old conversation is set aside, my notes stay.",
        "我们重新开始；旧对话已存档，笔记还在。",
    ),
    "other": ("Other (type your own answer)", "其他（自己输入）"),
    "answer_how": (
        "Answer with a number (1 to {count}), with words of your own, or with: skip. {seconds} s.",
        "回答数字（1 到 {count}）、直接输入内容，或输入：跳过。限时 {seconds} 秒。",
    ),
    "confirm_how": (
        "Answer yes or no. Without an answer within {seconds} s it is a no.",
        "请回答“是”或“否”。{seconds} 秒内没有回答就当作“否”。",
    ),
    "chosen": ("Understood: {option}", "明白：{option}"),
    "skipped": ("All right, I go on without an answer.", "好，我不等回答，继续做。"),
    "type_answer": (
        "Then type your answer; the next line counts (or: choose cancel).",
        "请输入你的回答，下一行就算（或输入：choose cancel）。",
    ),
    "typing_ended": ("All right: choose from the list again.", "好，请重新从列表里选。"),
    "choose_how": (
        "Choose with: choose 1 to {count}, choose other, choose skip.",
        "这样选：choose 1 到 {count}、choose other、choose skip。",
    ),
    "nothing_asked": ("I am not asking anything just now.", "我现在没有在问什么。"),
    "not_confirmed": ("That was no yes, so I leave it.", "这不是“是”，那我就不做了。"),
    "late": (
        "That question has ended; I take it as something you say: {option}",
        "那个问题已经结束；我把它当作你说的话：{option}",
    ),
    "late_said": (
        "(late answer to your question “{question}”) {option}",
        "（迟到的回答，针对你的问题“{question}”）{option}",
    ),
    "late_confirmation": (
        "That came too late and nothing was done. Tell me again what you want.",
        "回答来晚了，什么都没有做。请重新告诉我你要什么。",
    ),
    "begins_anew": ("(The answer broke off and begins anew.)", "（回答中断，重新开始。）"),
    "stopped_by_user": ("Stopped by user.", "已被用户停止。"),
    "skip_button": ("[Skip]", "[跳过]"),
    "more_waits": (
        "… {count} more lines; say !more for them.",
        "……还有 {count} 行，输入 !more 继续。",
    ),
    "other_provider": (
        "This session was begun with another kind of model; {label} goes on with it.",
        "这个会话原来用的是另一类模型，现在由 {label} 继续。",
    ),
    "busy_sessions": (
        "I am still at your last request. Wait, or say stop first.",
        "我还在处理你上一个请求。请稍等，或先说“停”。",
    ),
    "busy_soul": (
        "I cannot change my soul in the middle of a request. Wait, or say stop first.",
        "请求进行中不能更换灵魂。请稍等，或先说“停”。",
    ),
    "busy_retry": (
        "Another request is still running. Wait, or say stop first.",
        "另一个请求还在进行。请稍等，或先说“停”。",
    ),
    "no_session": ("There is no session {ref}.", "没有会话 {ref}。"),
    "one_session": ("There is only this one session here.", "这里只有这一个会话。"),
    "no_soul": ("There is no soul {name}; there are: {names}.", "没有灵魂 {name}；现有：{names}。"),
    "retry_none": ("There is no failed request to send again.", "没有可以重试的请求。"),
    "retry_wrong": (
        "That token is not right, so I forgot the failed request. Ask me again.",
        "令牌不对，失败的请求已清除。请重新提出。",
    ),
    "retry_late": (
        "That was more than 30 minutes ago. Ask me again.",
        "已经超过 30 分钟，请重新提出。",
    ),
    "retry_elsewhere": (
        "That request belongs to the session {session}; resume it first.",
        "那个请求属于会话 {session}，请先切换回去。",
    ),
    "retry": ("I try again in {seconds} s.", "{seconds} 秒后我会再试。"),
    "our_fault": (
        "Something went wrong inside me ({detail}). I am still here; tell me what to do.",
        "我内部出了点问题（{detail}）。我还在，请告诉我该做什么。",
    ),
    "no_log": (
        "I cannot write down our conversation ({detail}), so I stop thinking until you say something.",
        "我无法保存对话（{detail}），先停下来，等你发话。",
    ),
}


def say(key: str, language: str, **facts: object) -> str:
    """The sentence `key` in that language, English when there is no other."""
    english, chinese = SENTENCES[key]
    return (chinese if language.startswith("zh") else english).format(**facts)
